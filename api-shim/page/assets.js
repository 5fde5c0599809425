// The outputs of a task, shown and played from the object store by signed URLs, which are asked for when they are needed and again
// when they have ended.
import { fill, h, setAttribute } from "./dom.js";
import { problemElement } from "./view.js";

/** @import { TaskView } from "../tasks/view.ts" */
/** @import { Api } from "./api.js" */

/** @typedef {NonNullable<TaskView["assets"]>[number]} Asset */

/** Before a URL ends: what begins to load now must be there by then. */
const MARGIN_MS = 30_000;

/** @param {Api} api */
export function makeAssets(api) {
  const element = h("div", { class: "assets" });
  let shown = "";
  return {
    element,
    /** @param {TaskView} task */
    show: (task) => {
      const { assets = [], id } = task;
      const names = JSON.stringify(assets.map(({ name, sha256 }) => [name, sha256]));
      if (names === shown) return;
      shown = names;
      fill(element, ...assets.map((asset) => figure(api, id, asset)));
    },
  };
}

/**
 * @param {Api} api
 * @param {string} id
 * @param {Asset} asset
 */
function figure(api, id, asset) {
  const link = makeLink(api, id, asset.name);
  const media = mediaOf(asset);
  const place = h("div", { class: "media" }, media ?? h("span", { class: "none" }, asset.mediaType));
  const download = h(
    "a",
    { class: "button", download: asset.name, rel: "noreferrer", target: "_blank" },
    `Open ${asset.name}`,
  );
  /** @param {boolean} isAnew */
  async function load(isAnew) {
    const url = await link(isAnew).catch((/** @type {unknown} */ error) => fill(place, problemElement(error)));
    if (url === undefined) return;
    setAttribute(download, "href", url);
    if (media) setAttribute(media, "src", url);
  }
  let isRetried = false;
  media?.addEventListener("error", () => {
    if (isRetried || media.getAttribute("src") === null) return;
    isRetried = true; // the URL may have ended while it lay here
    void load(true);
  });
  // What is opened later than a URL lives needs a new one.
  for (const event of ["pointerenter", "focus"]) {
    download.addEventListener(event, () => void link(false).then((url) => setAttribute(download, "href", url)));
  }
  void load(false);
  return h("figure", {}, place, h("figcaption", {}, download, h("span", {}, factsOf(asset))));
}

/**
 * The URL of an asset, asked for anew when the last one is about to end.
 *
 * @param {Api} api
 * @param {string} id
 * @param {string} name
 */
function makeLink(api, id, name) {
  /** @type {Promise<{ readonly url: string; readonly expiresAt: string }> | undefined} */
  let last;
  return async (/** @type {boolean} */ isAnew) => {
    const known = isAnew ? undefined : await last?.catch(() => undefined);
    if (known === undefined || Date.parse(known.expiresAt) - Date.now() < MARGIN_MS) last = api.assetLink(id, name);
    const link = await last;
    return link?.url;
  };
}

/**
 * Nothing that could run: pictures, sound and films alone.
 *
 * @param {Asset} asset
 */
function mediaOf({ height, mediaType, name, width }) {
  const [kind] = mediaType.split("/");
  if (kind === "image") return h("img", { alt: `Output ${name}`, width, height, decoding: "async" });
  const player = { controls: true, preload: "metadata", "aria-label": `Output ${name}` };
  if (kind === "video") return h("video", { ...player, width, height, playsinline: true });
  if (kind === "audio") return h("audio", player);
  return undefined;
}

/** @param {Asset} asset */
function factsOf({ bytes, durationMs, height, mediaType, sha256, width }) {
  const size = width === undefined || height === undefined ? "" : `${width} × ${height}`;
  const length = durationMs === undefined ? "" : `${(durationMs / 1000).toFixed(1)} s`;
  return [mediaType, size, length, bytesText(bytes), `SHA-256 ${sha256.slice(0, 12)}…`].filter(Boolean).join(" · ");
}

/** @param {number} bytes */
function bytesText(bytes) {
  const units = /** @type {const} */ ([
    [2 ** 30, "GiB"],
    [2 ** 20, "MiB"],
    [2 ** 10, "KiB"],
  ]);
  const unit = units.find(([size]) => bytes >= size);
  return unit === undefined ? `${bytes} B` : `${(bytes / unit[0]).toFixed(1)} ${unit[1]}`;
}
