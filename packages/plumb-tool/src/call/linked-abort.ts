// An AbortController that also fires when the outer signal does.

export interface LinkedAbort {
  readonly signal: AbortSignal
  readonly abort: (reason?: unknown) => void
  /** Call it at the end: a long-lived outer signal would keep its listeners. */
  readonly unlink: () => void
}

/** `AbortSignal.any` is not in every Node.js 20. */
export const linkedAbort = (outer: AbortSignal): LinkedAbort => {
  const controller = new AbortController()
  const forward = () => controller.abort(outer.reason)
  if (outer.aborted) forward()
  else outer.addEventListener('abort', forward, { once: true })
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    unlink: () => outer.removeEventListener('abort', forward),
  }
}
