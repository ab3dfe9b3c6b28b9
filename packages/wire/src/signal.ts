// Being asked to stop: once in good order, twice at once, and afterwards the death that a shell expects to see.

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

const SIGNALS: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** `first` once, `second` for each signal after it. Returns how to stop listening. */
export const onStop = (first: (signal: StopSignal) => void, second: (signal: StopSignal) => void): (() => void) => {
  let isStopping = false
  const listen = (signal: NodeJS.Signals): void => {
    const tell = isStopping ? second : first
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

// Node would open a port for its debugger, to anybody on this machine.
const ignore = (): void => {}

/** Ends this process by the signal itself, so that its shell sees 130 or 143. Everything must have been flushed. */
export const dieOf = (signal: StopSignal): void => {
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
}
