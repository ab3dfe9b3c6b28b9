// The events of Chrome's trace format (its "Trace Event Format", JSON array form) that Perfetto shows.

/** `ts` and `dur` are microseconds. Pid and tid are not those of the system: they number the processes of the trace, and their tracks. */
export interface TraceEvent {
  readonly name: string
  /** M names a track, X is a slice, b to e are a span that may overlap others, i is an instant, s to f are an arrow, C is a counter. */
  readonly ph: 'M' | 'X' | 'b' | 'e' | 'i' | 's' | 'f' | 'C'
  readonly pid: number
  readonly tid?: number
  readonly ts?: number
  readonly dur?: number
  readonly cat?: string
  readonly id?: string
  /** The arrow ends at the slice around its end. */
  readonly bp?: 'e'
  /** The instant belongs to its thread alone. */
  readonly s?: 't'
  readonly args?: Readonly<Record<string, unknown>>
}

export const microseconds = (ms: number): number => Math.round(ms * 1000)
