// Being asked to stop: once in good order, twice at once, and afterwards the death that a shell expects to see.

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

const SIGNALS: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

// More than what is in flight, and then the children, have to come to their end.
const STOP_TIMEOUT_MS = 10_000

export interface StopOptions {
  /** A first signal is no more than a request, which may be refused: nothing ends by itself. */
  readonly mayStay?: boolean
}

/**
 * `first` once, `second` for each signal after it. Returns how to stop listening. Who is not at its end 10 s after the first one, as where
 * no process reads what it writes, dies of it.
 */
export const onStop = (
  first: (signal: StopSignal) => void,
  second: (signal: StopSignal) => void,
  { mayStay = false }: StopOptions = {},
): (() => void) => {
  let isStopping = false
  const listen = (signal: NodeJS.Signals): void => {
    const tell = isStopping ? second : first
    if (!isStopping && !mayStay) setTimeout(dieOf, STOP_TIMEOUT_MS, signal as StopSignal).unref()
    isStopping = true
    tell(signal as StopSignal)
  }
  for (const signal of SIGNALS) process.on(signal, listen)
  process.on('SIGUSR1', ignore)
  return () => {
    for (const signal of SIGNALS) process.off(signal, listen)
    process.off('SIGUSR1', ignore)
  }
}

// Node would open a port for its debugger, to every user of this machine.
const ignore = (): void => {}

/** Ends this process by the signal itself, so that its shell sees 130 or 143. Everything must have been flushed. */
export const dieOf = (signal: StopSignal): void => {
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
}
