// The event loop listens to all streams between one immediate and the next.

/** Calls when every stream has been heard once more. */
export const afterNextPoll = (call: () => void): void => {
  setImmediate(() => setImmediate(call))
}
