// The events of Chrome's trace format (its "Trace Event Format", JSON array form) that Perfetto shows.

/** `ts` and `dur` are microseconds. Pid and tid are only places on the screen here: a process and a line of it. */
export interface TraceEvent {
  readonly name: string
  /** M names a place, X lasts, b to e last and may overlap, i is an instant, s to f is an arrow, C is a counter. */
  readonly ph: 'M' | 'X' | 'b' | 'e' | 'i' | 's' | 'f' | 'C'
  readonly pid: number
  readonly tid?: number
  readonly ts?: number
  readonly dur?: number
  readonly cat?: string
  readonly id?: string
  /** An arrow ends at what lasts around its end. */
  readonly bp?: 'e'
  /** An instant of its thread alone. */
  readonly s?: 't'
  readonly args?: Readonly<Record<string, unknown>>
}

export const microseconds = (ms: number): number => Math.round(ms * 1000)
