// Handles requests to stop: the first ends in good order, the second at once; then this process dies of the signal, as a shell expects.

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

const SIGNALS: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

// Longer than the deadlines of messages in flight, and then of children.
const STOP_TIMEOUT_MS = 10_000

export interface StopOptions {
  /** A first signal is only a request, which may be refused: nothing ends by itself. */
  readonly mayStay?: boolean
}

/**
 * Calls `first` once, and `second` for each later signal. Returns how to stop listening. A process that has not ended 10 s after the first
 * signal, as when its output is not read, dies of it.
 */
export const onStop = (
  first: (signal: StopSignal) => void,
  second: (signal: StopSignal) => void,
  { mayStay = false }: StopOptions = {},
): (() => void) => {
  let isStopping = false
  const listen = (signal: NodeJS.Signals): void => {
    const listener = isStopping ? second : first
    if (!isStopping && !mayStay) setTimeout(dieOf, STOP_TIMEOUT_MS, signal as StopSignal).unref()
    isStopping = true
    listener(signal as StopSignal)
  }
  for (const signal of SIGNALS) process.on(signal, listen)
  process.on('SIGUSR1', ignore)
  return () => {
    for (const signal of SIGNALS) process.off(signal, listen)
    process.off('SIGUSR1', ignore)
  }
}

// By default, Node would open a port for its debugger, to every user of this machine.
const ignore = (): void => {}

/** Ends this process by the signal itself, so that its shell sees 130 or 143. Flush everything before. */
export const dieOf = (signal: StopSignal): void => {
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
}
