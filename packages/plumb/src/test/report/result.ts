// What came of the tests of a spec, as the runner gives it to the reporters.

import type { RouteStep } from '../carried.js'

/** Where something stands in a spec: the path as it was named, line and column from 1. */
export interface Place {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** One thing that a test found wrong. */
export interface TestFinding {
  /** The key of the test that was not met, as in `expect` or `calls`; or what became of it: `timeout`, `not_doubled`, `model`, an error code. */
  readonly code: string
  readonly message: string
  /** Of the key, or of the part of it, in the spec. */
  readonly place?: Place
  /** Of the message that it is about, from 1. */
  readonly number?: number
  /** JSON text, or words where there is no value. */
  readonly expected?: string
  readonly got?: string
  /** The first wire that carried something else, as in `writer-critic`. */
  readonly wire?: string
  /** What the wires carried on the way to it, the first first. */
  readonly route?: readonly RouteStep[]
  /** One line a path at which the two differ. */
  readonly difference?: readonly string[]
}

/** Of how many rows of an evaluation it held, or how they were scored. */
export interface Share {
  /** Undefined: they were scored. */
  readonly passed?: number
  /** The mean of their scores, from 0 to 1. */
  readonly score?: number
  readonly rows: number
  /** The ends of the 95 % interval of the share or of the mean, from 0 to 1. */
  readonly low: number
  readonly high: number
  /** What the rows that failed gave, the worst first. */
  readonly worst: readonly string[]
}

/** What models were asked in earnest. */
export interface TestCost {
  /** Requests. */
  readonly calls: number
  /** Dollars, of the models that have a price. */
  readonly cost: number
  /** Models that have none. */
  readonly unpriced: readonly string[]
}

export interface TestResult {
  readonly name: string
  /** The binding that it is a test of. */
  readonly of: string
  readonly place: Place
  /** With which it was run, where that is not what the spec says. */
  readonly model?: string
  readonly status: 'passed' | 'failed' | 'skipped'
  /** Why it was skipped. */
  readonly why?: string
  readonly milliseconds: number
  /** None unless it failed. */
  readonly findings: readonly TestFinding[]
  /** From which its random inputs were made. */
  readonly seed?: number
  readonly share?: Share
  readonly spent?: TestCost
  /** The command that repeats it. */
  readonly again: string
}

/** What came of all of them together. */
export interface Summary {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  /** From the first to the last, by the clock; less than the sum of theirs where several ran at once. */
  readonly milliseconds: number
  readonly spent?: TestCost
}

/** Makes the text to write, of lines with their ends or empty; `result` is called once a test, in the order in which they stand in the spec. */
export interface TestReporter {
  readonly begin?: (count: number) => string
  readonly result: (result: TestResult) => string
  readonly end: (summary: Summary) => string
}
