// Names for values that would otherwise all be strings, so that one can never be passed for another.

type Brand<Value, Name extends string> = Value & { readonly __brand: Name };

/** `namespace/key`: the identity of the *wish*, stable over restores of the object (see `taskKeyOf`). */
export type TaskKey = Brand<string, "TaskKey">;
/** A UUID made by us before the call; it is also the client request id that goes out with it. */
export type AttemptId = Brand<string, "AttemptId">;
/** The provider's own name for the job. Opaque. */
export type ProviderJobId = Brand<string, "ProviderJobId">;
/** A millionth of a credit. All money is an integer number of these. */
export type MicroCredits = Brand<bigint, "MicroCredits">;
/** A term of leadership, issued by Postgres, growing by one a term. */
export type Epoch = Brand<bigint, "Epoch">;
