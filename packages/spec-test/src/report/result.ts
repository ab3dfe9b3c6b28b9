// The results of the tests of a spec, from the runner to the reporters.

/** The reporters, as --reporter takes them. */
export const REPORTER_NAMES = ['text', 'tap', 'junit', 'json'] as const

export type ReporterName = (typeof REPORTER_NAMES)[number]

/** A position in a spec: the path as it was named, line and column from 1. */
export interface SpecPosition {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** What a test may reach. */
export interface Point extends SpecPosition {
  readonly kind: 'binding' | 'tool' | 'branch' | 'filter' | 'variant' | 'error' | 'state'
  /** The name of the binding, or of the one around it with the missing part: `grade: then`. */
  readonly name: string
  /** How often it was reached; for a binding, only whether. */
  readonly hits: number
}

/** What one wire carried of one input. */
export interface RouteStep {
  readonly wire: string
  readonly count: number
  /** All messages, but of more than three the first two and the last. */
  readonly messages: readonly string[]
}

/** One unmet expectation. */
export interface TestFinding {
  /** The key that was not met, as in `expect` or `calls`; or the failure of the test: `timeout`, `not_doubled`, `model`, an error code. */
  readonly code: string
  readonly message: string
  /** The position of the key, or of the part of it, in the spec. */
  readonly place?: SpecPosition
  /** The message that it is about, from 1. */
  readonly number?: number
  /** JSON text, or words if there is no value. */
  readonly expected?: string
  readonly got?: string
  /** The first wire that carried something else, as in `writer-critic`. */
  readonly wire?: string
  /** What the wires carried before it, the first first. */
  readonly route?: readonly RouteStep[]
  /** The differences, one line a path. */
  readonly difference?: readonly string[]
}

/** In how many rows of an evaluation it held, or their scores. */
export interface Share {
  /** Undefined: they were scored. */
  readonly passed?: number
  /** The mean of their scores, from 0 to 1. */
  readonly score?: number
  readonly rows: number
  /** The bounds of the 95 % interval of the share or of the mean, from 0 to 1. */
  readonly low: number
  readonly high: number
  /** How many rows failed with each code, those that took too long as `timeout`, and those that gave nothing as `no_output`. */
  readonly errors?: Readonly<Record<string, number>>
  /** How far several judges agree: Krippendorff's alpha. */
  readonly alpha?: number
  /** What each row that was not held gave, the worst first. */
  readonly worst: readonly string[]
}

/** The use of real models. */
export interface TestCost {
  /** Requests. */
  readonly calls: number
  /** Dollars, for the models that have a price. */
  readonly cost: number
  /** Models without a price. */
  readonly unpriced: readonly string[]
}

export interface TestResult {
  readonly name: string
  /** The binding that it tests. */
  readonly of: string
  readonly place: SpecPosition
  /** The model it was run with, if that differs from the spec's. */
  readonly model?: string
  /** The variant, where several are compared. */
  readonly variant?: string
  readonly status: 'passed' | 'failed' | 'skipped'
  /** Why it was skipped. */
  readonly why?: string
  readonly milliseconds: number
  /** Empty unless it failed. */
  readonly findings: readonly TestFinding[]
  /** The seed of its random inputs. */
  readonly seed?: number
  readonly share?: Share
  readonly spent?: TestCost
  /** The command that repeats it. */
  readonly again: string
}

/** The results of all tests together. */
export interface Summary {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  /** Wall-clock time from the first to the last; less than the sum of theirs if several ran at once. */
  readonly milliseconds: number
  readonly spent?: TestCost
}

/** Formats results as lines with their ends, or an empty text; `result` is called once a test, in the order of the spec. */
export interface TestReporter {
  readonly begin?: (count: number) => string
  readonly result: (result: TestResult) => string
  readonly end: (summary: Summary) => string
}
