export interface paths {
  "/v1/tasks": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The tasks of the namespace, page by page. */
    get: operations["listTasks"];
    put?: never;
    /** Ask for a generation. Answers before any provider is called; repeating it with the same key is safe. */
    post: operations["createTask"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/tasks/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** A task as it stands. */
    get: operations["getTask"];
    put?: never;
    post?: never;
    /** Delete a task. It goes when its money is settled; by its deletionPolicy the provider is asked to cancel. */
    delete: operations["deleteTask"];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/tasks/{id}/events": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The task's state now and whenever it changes, as server-sent events: `task` with the task, `deleted` at its end. */
    get: operations["followTask"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/events": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** All tasks of the namespace, as server-sent events: which there are, each as it stands, and each whenever it changes. */
    get: operations["followTasks"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/tasks/{id}/cancel": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Ask the provider to cancel; a finished job stays paid. */
    post: operations["cancelTask"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/tasks/{id}/suspend": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Start nothing new; what runs goes on. */
    post: operations["suspendTask"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/tasks/{id}/resume": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** The end of suspend. */
    post: operations["resumeTask"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/tasks/{id}/assets/{name}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Where to read an asset of a task that succeeded: a redirect to a signed URL, good for some minutes. */
    get: operations["getAsset"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/tasks/{id}/assets/{name}/link": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The same as a value: for players that can't send a token, such as a page's. */
    get: operations["getAssetLink"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/uploads": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Get a signed URL to put an input to, which a task's input then names. */
    post: operations["createUpload"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/tasks/{id}/history": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** What the operator told of the task, for as long as the cluster keeps its events: an hour, if nobody changed that. */
    get: operations["getHistory"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/credits": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Credits of the namespace, added up over the objects that are there: what was deleted is not in it, so it is no balance. */
    get: operations["getCredits"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/providers": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The providers that serve the namespace: what they offer at which price, and how they are. */
    get: operations["listProviders"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/openapi.json": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** This document. */
    get: operations["getDocument"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}

export interface components {
  schemas: {
    Problem: {
      /** @description The name of the problem. */
      type: string;
      /** @description The problem in general. */
      title: string;
      /** @description The status of the answer. */
      status: number;
      /** @description This one, and the way out. */
      detail: string;
      /** @description The request, as the log names it. */
      instance: string;
      /**
       * @description The problem, for programs.
       * @enum {string}
       */
      code:
        | "invalid-request"
        | "invalid-json"
        | "idempotency-key-missing"
        | "namespace-missing"
        | "unauthenticated"
        | "forbidden"
        | "refused-by-cluster"
        | "not-found"
        | "method-not-allowed"
        | "request-timeout"
        | "being-deleted"
        | "name-taken"
        | "conflict"
        | "body-too-large"
        | "unsupported-media-type"
        | "invalid-body"
        | "idempotency-key-reused"
        | "too-many-requests"
        | "too-many-streams"
        | "header-too-large"
        | "internal"
        | "books-unavailable"
        | "backlog-full"
        | "cluster-unavailable"
        | "storage-unavailable"
        | "overloaded";
      /** @description The fields of the body that are at fault. */
      errors?: {
        /** @description A JSON pointer into the body. */
        pointer: string;
        /** @description Why. */
        detail: string;
      }[];
    };
    TaskRequest: {
      /** @description The provider account that does the work. */
      providerRef: {
        /** @description The name of a GenerationProvider. */
        name: string;
      };
      /** @description The provider's own name for the model. */
      model: string;
      /** @description Passed to the provider as it is. At most 256 KiB, 32 levels, and no whole number beyond 2^53. */
      input: {
        [key: string]: unknown;
      };
      /** @description Values kept out of this object. */
      inputFrom?: {
        /** @description A JSON pointer into spec.input: where the value goes. */
        path: string;
        /** @description A Secret in the task's namespace. */
        secretKeyRef: {
          /** @description The Secret's name. */
          name: string;
          /** @description The key in the Secret's data. */
          key: string;
        };
      }[];
      /** @description A class of the operator's setting SLA_CLASSES: deadline, attempts, place in the queue. Another name is Rejected. */
      slaClass?: string;
      /**
       * @description Higher goes first at the provider; added to the priority of its class, if it has one.
       * @default 0
       */
      priority?: number;
      /** @description The ceiling: a task whose estimate exceeds it is Rejected. */
      maxCredits?: string;
      /** @description From acceptance of the task to its end; afterwards it fails. Absent: no limit of its own. */
      activeDeadlineSeconds?: number;
      /**
       * @description New paid attempts, after a proved failure only.
       * @default {
       *       "maxAttempts": 1
       *     }
       */
      retryPolicy?: {
        /**
         * @description How often a job may be paid for, the first included.
         * @default 1
         */
        maxAttempts?: number;
      };
      /**
       * @description When it can't be known whether the provider took a submit. Resubmit may pay twice.
       * @default Hold
       * @enum {string}
       */
      unknownPolicy?: "Hold" | "Fail" | "Resubmit";
      /**
       * @description What the outputs must be to be published.
       * @default {
       *       "maxBytes": 2147483648,
       *       "minCount": 1
       *     }
       */
      output?: {
        /**
         * @description The most bytes of one output.
         * @default 2147483648
         */
        maxBytes?: number;
        /** @description What the outputs may be, judged by their content. Absent: any image, audio or video. */
        mediaTypes?: string[];
        /**
         * @description Fewer outputs than this are a failure.
         * @default 1
         */
        minCount?: number;
      };
      /** @description Outputs are judged before they are published. Not served yet: a task with it is Rejected. */
      moderation?: {
        /** @description A name in the operator's configuration. */
        profile: string;
      };
      /** @description Who is told of the end. Not served yet: a task with it is Rejected. */
      callback?: {
        /** @description Called with a signed POST when one of the events happens. */
        url: string;
        /** @description A Secret in the task's namespace: the key that signs the calls. */
        secretRef: {
          /** @description The Secret's name. */
          name: string;
          /** @description The key in the Secret's data. */
          key: string;
        };
        /** @description The phases that are reported. */
        events: ("Succeeded" | "Failed" | "Cancelled" | "Rejected" | "NeedsReview")[];
      };
      /**
       * @description Nothing new is started while true; what runs goes on.
       * @default false
       */
      suspend?: boolean;
      /**
       * @description What deleting this object does to a running job: ask the provider to cancel it, or let it run.
       * @default Cancel
       * @enum {string}
       */
      deletionPolicy?: "Cancel" | "Orphan";
      /** @description How long after its end the object is deleted; published outputs stay. Absent: never. */
      ttlSecondsAfterFinished?: number;
    };
    Task: {
      /** @description The name of the GenerationTask; unique in its namespace. */
      id: string;
      /** @description Where the task lives. */
      namespace: string;
      /** @description Changes whenever the task does; also the id of its events. */
      version: string;
      /** @description One wish per namespace and key. Default: the object's UID. */
      idempotencyKey?: string;
      /** @description The name of the GenerationProvider. */
      provider?: string;
      /** @description The provider's own name for the model. */
      model?: string;
      /** @description Nothing new is started while true. */
      suspend: boolean;
      /** @description Cancelling was asked for. */
      cancelRequested: boolean;
      /** @description The task goes as soon as its money is settled. */
      deleting: boolean;
      /**
       * Format: date-time
       * @description When the task was accepted by the API server.
       */
      createdAt?: string;
      /**
       * @description Where the task stands. Succeeded, Failed, Cancelled and Rejected are final.
       * @enum {string}
       */
      phase:
        | "Pending"
        | "Submitting"
        | "SubmitUnknown"
        | "Polling"
        | "Fetching"
        | "Succeeded"
        | "Failed"
        | "Cancelled"
        | "Rejected"
        | "NeedsReview";
      /** @description Why the task is in this phase, as a word. */
      reason?: string;
      /** @description The same as a sentence. */
      message?: string;
      /** @description The number of the newest attempt. */
      attempt?: number;
      /** @description The provider's own name for the newest attempt's job. */
      providerJobID?: string;
      /** @description Percent, when the provider tells. */
      progress?: number;
      /** @description While Pending: 1 is next. */
      queuePosition?: number;
      /**
       * Format: date-time
       * @description When the operator looks again, while it waits.
       */
      nextActionTime?: string;
      /**
       * Format: date-time
       * @description When the task was accepted.
       */
      startTime?: string;
      /**
       * Format: date-time
       * @description When the newest attempt was sent.
       */
      submittedTime?: string;
      /**
       * Format: date-time
       * @description When the task ended.
       */
      completionTime?: string;
      /** @description Over all attempts. */
      credits?: {
        /** @description Held for all attempts so far. */
        reserved: string;
        /** @description Paid. */
        settled: string;
        /** @description Given back. At the end, reserved = settled + released. */
        released: string;
      };
      /** @description All outputs, once every one is verified. */
      assets?: {
        /** @description Unique within the task. */
        name: string;
        /** @description Where it is in object storage. Not a signed URL. */
        uri: string;
        /** @description What its content says it is. */
        mediaType: string;
        /** @description Its size. */
        bytes: number;
        /** @description Its checksum, in hex. */
        sha256: string;
        /** @description Pixels. */
        width?: number;
        /** @description Pixels. */
        height?: number;
        /** @description Of audio and video, in milliseconds. */
        durationMs?: number;
      }[];
    };
    TaskList: {
      /** @description In the order of their ids. */
      tasks: components["schemas"]["Task"][];
      /** @description Of the next page; absent on the last one. Good for some minutes. */
      nextPageToken?: string;
    };
    AssetLink: {
      /** @description Read it there, without the token. A secret while it is good. */
      url: string;
      /**
       * Format: date-time
       * @description When url ends.
       */
      expiresAt: string;
    };
    UploadRequest: {
      /** @description What the bytes are. */
      mediaType: string;
      /** @description How many there are. */
      bytes: number;
      /** @description Their checksum, in hex: the store then refuses any other bytes. */
      sha256?: string;
    };
    Upload: {
      /** @constant */
      method: "PUT";
      /** @description Put the bytes there, without the token. Good once, and for some minutes. */
      url: string;
      /** @description Send just these with it: they are part of the signature. */
      headers: {
        [key: string]: string;
      };
      /**
       * Format: date-time
       * @description When url ends.
       */
      expiresAt: string;
      /** @description Where the object is then. Not a signed URL. */
      uri: string;
      /** @description For the input of a task: where a provider reads the bytes. A secret. */
      readUrl: string;
      /**
       * Format: date-time
       * @description When readUrl ends.
       */
      readUrlExpiresAt: string;
    };
    History: {
      /** @description Oldest first. */
      events: {
        /**
         * @description Warning: worth a look.
         * @enum {string}
         */
        type: "Normal" | "Warning";
        /** @description What happened, as a word. */
        reason: string;
        /** @description The same as a sentence. */
        note: string;
        /**
         * Format: date-time
         * @description When it happened, for the first time.
         */
        firstTime: string;
        /**
         * Format: date-time
         * @description And for the last time.
         */
        lastTime: string;
        /** @description How often. */
        count: number;
      }[];
    };
    Credits: {
      /** @description Added by the grants that are there and booked. A decimal number of credits. */
      granted: string;
      /** @description Held so far for the tasks that are there. A decimal number of credits. */
      reserved: string;
      /** @description Paid for them. A decimal number of credits. */
      settled: string;
      /** @description Given back of what was held. A decimal number of credits. */
      released: string;
      /** @description Held now: reserved - settled - released. A decimal number of credits. */
      held: string;
      /** @description How many tasks these figures are of. */
      tasks: number;
      /** @description The grants that are there, the newest 100, newest first. */
      grants: {
        /** @description The name of the CreditGrant. */
        name: string;
        /** @description What it adds. A decimal number of credits. */
        credits: string;
        /** @description Why, as its author wrote. */
        reason: string;
        /** @description Whether it is booked. */
        applied: boolean;
        /**
         * Format: date-time
         * @description When it was made.
         */
        createdAt?: string;
      }[];
    };
    ProviderList: {
      /** @description In the order of their names. */
      providers: components["schemas"]["Provider"][];
    };
    Provider: {
      /** @description What spec.providerRef names. */
      name: string;
      /** @description Whether tasks are started there now. */
      ready: boolean;
      /** @description Jobs that may be running there, of all namespaces. */
      inFlight?: number;
      /** @description Tasks that wait for its quota, of all namespaces. */
      waiting?: number;
      /** @description How it is; none before the operator has seen it. */
      conditions: {
        /** @description What is judged: Ready, CredentialsValid, QuotaValid. */
        type: string;
        /**
         * @description Whether it holds.
         * @enum {string}
         */
        status: "True" | "False" | "Unknown";
        /** @description Why, as a word. */
        reason: string;
        /** @description The same as a sentence. */
        message: string;
        /**
         * Format: date-time
         * @description When status last changed.
         */
        since: string;
      }[];
      /** @description What may be asked for. */
      models: {
        /** @description What spec.model names. */
        name: string;
        /** @description The estimate, which is held: perRequest + perOutput × count + perSecond × seconds. */
        price: {
          /** @description Credits for the request itself. */
          perRequest?: string;
          /** @description Credits for each output asked for. */
          perOutput?: string;
          /** @description Credits for each second asked for. */
          perSecond?: string;
          /** @description The field of the input with the number of outputs; absent: 1. */
          countField?: string;
          /** @description The field of the input with the seconds. */
          secondsField?: string;
        };
      }[];
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}

export interface operations {
  listTasks: {
    parameters: {
      query?: {
        /** @description Tasks of a page, at most. */
        limit?: number;
        /** @description nextPageToken of the page before. */
        pageToken?: string;
        /** @description Only tasks that the operator reports in this phase. */
        phase?:
          | "Pending"
          | "Submitting"
          | "SubmitUnknown"
          | "Polling"
          | "Fetching"
          | "Succeeded"
          | "Failed"
          | "Cancelled"
          | "Rejected"
          | "NeedsReview";
        /** @description Only tasks of this provider. */
        provider?: string;
      };
      header?: {
        /** @description The namespace that is meant. Default: the one that the token's service account lives in. */
        "X-Genop-Namespace"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TaskList"];
        };
      };
      /** @description `namespace-missing`: The namespace is not known. `invalid-request`: A parameter or header can't be read. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `unauthenticated`: The token is missing or not valid. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `forbidden`: The cluster does not allow this. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `too-many-requests`: The namespace asks too often. */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `header-too-large`: The headers are too large, or too many. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `internal`: Something is broken here. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `overloaded`: Too many requests are under way. `cluster-unavailable`: The Kubernetes API does not answer. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  createTask: {
    parameters: {
      query?: never;
      header: {
        /** @description One task for each key and namespace, for as long as the task exists. Double quotes around it are no part of it. */
        "idempotency-key": string;
        /** @description The namespace that is meant. Default: the one that the token's service account lives in. */
        "X-Genop-Namespace"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TaskRequest"];
      };
    };
    responses: {
      /** @description The task is accepted, now or by an earlier request with this key and body. */
      202: {
        headers: {
          /** @description Where the task can be read. */
          Location?: string;
          /** @description `true` when the task was there already. */
          "Idempotent-Replayed"?: string;
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Task"];
        };
      };
      /** @description `namespace-missing`: The namespace is not known. `invalid-request`: A parameter or header can't be read. `invalid-json`: The body is not JSON within the limits. `idempotency-key-missing`: The request needs an Idempotency-Key. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `unauthenticated`: The token is missing or not valid. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `forbidden`: The cluster does not allow this. `refused-by-cluster`: The cluster refused the task. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `being-deleted`: The task is being deleted. `name-taken`: Another object has the task's name. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `body-too-large`: The body is too large. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `unsupported-media-type`: The body is not application/json. */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `invalid-body`: The body does not say what it must. `idempotency-key-reused`: The key was used for another body. */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `too-many-requests`: The namespace asks too often. */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `header-too-large`: The headers are too large, or too many. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `internal`: Something is broken here. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `overloaded`: Too many requests are under way. `cluster-unavailable`: The Kubernetes API does not answer. `books-unavailable`: New work can't be recorded now. `backlog-full`: Too much work is waiting. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  getTask: {
    parameters: {
      query?: never;
      header?: {
        /** @description The namespace that is meant. Default: the one that the token's service account lives in. */
        "X-Genop-Namespace"?: string;
      };
      path: {
        /** @description The id of a task. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The task. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Task"];
        };
      };
      /** @description `namespace-missing`: The namespace is not known. `invalid-request`: A parameter or header can't be read. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `unauthenticated`: The token is missing or not valid. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `forbidden`: The cluster does not allow this. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `not-found`: There is nothing here. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `too-many-requests`: The namespace asks too often. */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `header-too-large`: The headers are too large, or too many. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `internal`: Something is broken here. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `overloaded`: Too many requests are under way. `cluster-unavailable`: The Kubernetes API does not answer. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  deleteTask: {
    parameters: {
      query?: never;
      header?: {
        /** @description The namespace that is meant. Default: the one that the token's service account lives in. */
        "X-Genop-Namespace"?: string;
      };
      path: {
        /** @description The id of a task. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The task is being deleted, or gone. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description `namespace-missing`: The namespace is not known. `invalid-request`: A parameter or header can't be read. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `unauthenticated`: The token is missing or not valid. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `forbidden`: The cluster does not allow this. `refused-by-cluster`: The cluster refused the task. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `not-found`: There is nothing here. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `too-many-requests`: The namespace asks too often. */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `header-too-large`: The headers are too large, or too many. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `internal`: Something is broken here. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `overloaded`: Too many requests are under way. `cluster-unavailable`: The Kubernetes API does not answer. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  followTask: {
    parameters: {
      query?: never;
      header?: {
        /** @description The id of the last event that was seen: the state is told only if it is newer. */
        "last-event-id"?: string;
        /** @description The namespace that is meant. Default: the one that the token's service account lives in. */
        "X-Genop-Namespace"?: string;
      };
      path: {
        /** @description The id of a task. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The stream. It ends with a final phase, after some minutes, or when the server stops: connect again. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "text/event-stream": {
            /** @enum {string} */
            event?: "task" | "deleted";
            /** @description The version of the task. */
            id?: string;
            /** @description The task as JSON. */
            data?: string;
          } & {
            [key: string]: unknown;
          };
        };
      };
      /** @description Nothing will come after the event that was seen: do not connect again. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description `namespace-missing`: The namespace is not known. `invalid-request`: A parameter or header can't be read. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `unauthenticated`: The token is missing or not valid. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `forbidden`: The cluster does not allow this. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `not-found`: There is nothing here. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `too-many-requests`: The namespace asks too often. `too-many-streams`: There are too many event streams. */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `header-too-large`: The headers are too large, or too many. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `internal`: Something is broken here. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `overloaded`: Too many requests are under way. `cluster-unavailable`: The Kubernetes API does not answer. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  followTasks: {
    parameters: {
      query?: never;
      header?: {
        /** @description The id of the last event that was seen: the state is told only if it is newer. */
        "last-event-id"?: string;
        /** @description The namespace that is meant. Default: the one that the token's service account lives in. */
        "X-Genop-Namespace"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The stream. It ends after some minutes, or when the server stops: connect again. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "text/event-stream": {
            /** @enum {string} */
            event?: "tasks" | "task" | "deleted";
            /** @description What Last-Event-ID then says: the client has all until here. */
            id?: string;
            /** @description `tasks`, always the first: {namespace, heartbeatSeconds, ids}, where ids are all tasks there are. `task`: the task. `deleted`: {id}. */
            data?: string;
          } & {
            [key: string]: unknown;
          };
        };
      };
      /** @description `namespace-missing`: The namespace is not known. `invalid-request`: A parameter or header can't be read. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `unauthenticated`: The token is missing or not valid. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `forbidden`: The cluster does not allow this. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `too-many-requests`: The namespace asks too often. `too-many-streams`: There are too many event streams. */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `header-too-large`: The headers are too large, or too many. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `internal`: Something is broken here. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `overloaded`: Too many requests are under way. `cluster-unavailable`: The Kubernetes API does not answer. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  cancelTask: {
    parameters: {
      query?: never;
      header?: {
        /** @description The namespace that is meant. Default: the one that the token's service account lives in. */
        "X-Genop-Namespace"?: string;
      };
      path: {
        /** @description The id of a task. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It is written down; the operator acts on it. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Task"];
        };
      };
      /** @description `namespace-missing`: The namespace is not known. `invalid-request`: A parameter or header can't be read. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `unauthenticated`: The token is missing or not valid. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `forbidden`: The cluster does not allow this. `refused-by-cluster`: The cluster refused the task. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `not-found`: There is nothing here. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `conflict`: Somebody else changed the task at the same time. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `invalid-body`: The body does not say what it must. */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `too-many-requests`: The namespace asks too often. */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `header-too-large`: The headers are too large, or too many. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `internal`: Something is broken here. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `overloaded`: Too many requests are under way. `cluster-unavailable`: The Kubernetes API does not answer. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  suspendTask: {
    parameters: {
      query?: never;
      header?: {
        /** @description The namespace that is meant. Default: the one that the token's service account lives in. */
        "X-Genop-Namespace"?: string;
      };
      path: {
        /** @description The id of a task. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It is written down; the operator acts on it. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Task"];
        };
      };
      /** @description `namespace-missing`: The namespace is not known. `invalid-request`: A parameter or header can't be read. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `unauthenticated`: The token is missing or not valid. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `forbidden`: The cluster does not allow this. `refused-by-cluster`: The cluster refused the task. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `not-found`: There is nothing here. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `conflict`: Somebody else changed the task at the same time. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `invalid-body`: The body does not say what it must. */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `too-many-requests`: The namespace asks too often. */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `header-too-large`: The headers are too large, or too many. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `internal`: Something is broken here. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `overloaded`: Too many requests are under way. `cluster-unavailable`: The Kubernetes API does not answer. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  resumeTask: {
    parameters: {
      query?: never;
      header?: {
        /** @description The namespace that is meant. Default: the one that the token's service account lives in. */
        "X-Genop-Namespace"?: string;
      };
      path: {
        /** @description The id of a task. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It is written down; the operator acts on it. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Task"];
        };
      };
      /** @description `namespace-missing`: The namespace is not known. `invalid-request`: A parameter or header can't be read. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `unauthenticated`: The token is missing or not valid. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `forbidden`: The cluster does not allow this. `refused-by-cluster`: The cluster refused the task. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `not-found`: There is nothing here. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `conflict`: Somebody else changed the task at the same time. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `invalid-body`: The body does not say what it must. */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `too-many-requests`: The namespace asks too often. */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `header-too-large`: The headers are too large, or too many. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `internal`: Something is broken here. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `overloaded`: Too many requests are under way. `cluster-unavailable`: The Kubernetes API does not answer. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  getAsset: {
    parameters: {
      query?: never;
      header?: {
        /** @description The namespace that is meant. Default: the one that the token's service account lives in. */
        "X-Genop-Namespace"?: string;
      };
      path: {
        /** @description The id of a task. */
        id: string;
        /** @description As in the task's assets. */
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Read it there, without the token. */
      302: {
        headers: {
          /** @description The signed URL. */
          Location?: string;
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description `namespace-missing`: The namespace is not known. `invalid-request`: A parameter or header can't be read. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `unauthenticated`: The token is missing or not valid. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `forbidden`: The cluster does not allow this. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `not-found`: There is nothing here. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `too-many-requests`: The namespace asks too often. */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `header-too-large`: The headers are too large, or too many. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `internal`: Something is broken here. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `overloaded`: Too many requests are under way. `cluster-unavailable`: The Kubernetes API does not answer. `storage-unavailable`: The object store can't be used. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  getAssetLink: {
    parameters: {
      query?: never;
      header?: {
        /** @description The namespace that is meant. Default: the one that the token's service account lives in. */
        "X-Genop-Namespace"?: string;
      };
      path: {
        /** @description The id of a task. */
        id: string;
        /** @description As in the task's assets. */
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The signed URL. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AssetLink"];
        };
      };
      /** @description `namespace-missing`: The namespace is not known. `invalid-request`: A parameter or header can't be read. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `unauthenticated`: The token is missing or not valid. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `forbidden`: The cluster does not allow this. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `not-found`: There is nothing here. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `too-many-requests`: The namespace asks too often. */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `header-too-large`: The headers are too large, or too many. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `internal`: Something is broken here. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `overloaded`: Too many requests are under way. `cluster-unavailable`: The Kubernetes API does not answer. `storage-unavailable`: The object store can't be used. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  createUpload: {
    parameters: {
      query?: never;
      header?: {
        /** @description The namespace that is meant. Default: the one that the token's service account lives in. */
        "X-Genop-Namespace"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["UploadRequest"];
      };
    };
    responses: {
      /** @description Where to put the bytes. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Upload"];
        };
      };
      /** @description `namespace-missing`: The namespace is not known. `invalid-request`: A parameter or header can't be read. `invalid-json`: The body is not JSON within the limits. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `unauthenticated`: The token is missing or not valid. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `forbidden`: The cluster does not allow this. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `body-too-large`: The body is too large. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `unsupported-media-type`: The body is not application/json. */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `invalid-body`: The body does not say what it must. */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `too-many-requests`: The namespace asks too often. */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `header-too-large`: The headers are too large, or too many. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `internal`: Something is broken here. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `overloaded`: Too many requests are under way. `cluster-unavailable`: The Kubernetes API does not answer. `storage-unavailable`: The object store can't be used. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  getHistory: {
    parameters: {
      query?: never;
      header?: {
        /** @description The namespace that is meant. Default: the one that the token's service account lives in. */
        "X-Genop-Namespace"?: string;
      };
      path: {
        /** @description The id of a task. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is kept of it. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["History"];
        };
      };
      /** @description `namespace-missing`: The namespace is not known. `invalid-request`: A parameter or header can't be read. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `unauthenticated`: The token is missing or not valid. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `forbidden`: The cluster does not allow this. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `not-found`: There is nothing here. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `too-many-requests`: The namespace asks too often. */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `header-too-large`: The headers are too large, or too many. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `internal`: Something is broken here. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `overloaded`: Too many requests are under way. `cluster-unavailable`: The Kubernetes API does not answer. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  getCredits: {
    parameters: {
      query?: never;
      header?: {
        /** @description The namespace that is meant. Default: the one that the token's service account lives in. */
        "X-Genop-Namespace"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The sums. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Credits"];
        };
      };
      /** @description `namespace-missing`: The namespace is not known. `invalid-request`: A parameter or header can't be read. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `unauthenticated`: The token is missing or not valid. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `forbidden`: The cluster does not allow this. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `too-many-requests`: The namespace asks too often. */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `header-too-large`: The headers are too large, or too many. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `internal`: Something is broken here. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `overloaded`: Too many requests are under way. `cluster-unavailable`: The Kubernetes API does not answer. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  listProviders: {
    parameters: {
      query?: never;
      header?: {
        /** @description The namespace that is meant. Default: the one that the token's service account lives in. */
        "X-Genop-Namespace"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description All of them; one that can't be read serves nobody, and is not told. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ProviderList"];
        };
      };
      /** @description `namespace-missing`: The namespace is not known. `invalid-request`: A parameter or header can't be read. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `unauthenticated`: The token is missing or not valid. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `forbidden`: The cluster does not allow this. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `too-many-requests`: The namespace asks too often. */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `header-too-large`: The headers are too large, or too many. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `internal`: Something is broken here. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `overloaded`: Too many requests are under way. `cluster-unavailable`: The Kubernetes API does not answer. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  getDocument: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OpenAPI 3.1. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            [key: string]: unknown;
          };
        };
      };
      /** @description `header-too-large`: The headers are too large, or too many. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `internal`: Something is broken here. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description `overloaded`: Too many requests are under way. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
}
