// Texts that would break out of a page that takes them for markup, or out of its width, in every place where a stranger's text is shown.

export const HOSTILE = `<img src=x onerror="document.title='broken into'"><script>document.title='broken into'</script>`;
/** As long as a name may be, and without a place to break it. */
export const ENDLESS = "n".repeat(128);

export function hostileGrant(namespace: string): object {
  return {
    ...{ apiVersion: "genop.dev/v1alpha1", kind: "CreditGrant", metadata: { namespace, name: "hostile" } },
    spec: { credits: "1", reason: HOSTILE },
  };
}

/** As the operator would tell it, of the task `hostile`. */
export function hostileEvent(namespace: string, uid: string | undefined): object {
  return {
    ...{ apiVersion: "events.k8s.io/v1", kind: "Event", metadata: { namespace, name: "hostile" } },
    ...{
      eventTime: "2026-12-01T12:00:00.000000Z",
      type: "Warning",
      action: "End",
      reason: "Rejected",
      note: `note ${HOSTILE}`,
    },
    ...{ reportingController: "genop.dev/operator", reportingInstance: "test" },
    regarding: { apiVersion: "genop.dev/v1alpha1", kind: "GenerationTask", namespace, name: "hostile", uid },
  };
}
