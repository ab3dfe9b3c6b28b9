// What has happened since the start, for Prometheus: by binding.

import type { Run } from '../run/run.js'

/** Upper bounds of the buckets, in seconds. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300] as const

class Histogram {
  readonly #counts = BOUNDS.map(() => 0)
  #count = 0
  #sum = 0

  add(seconds: number): void {
    this.#count++
    this.#sum += seconds
    for (const [i, bound] of BOUNDS.entries()) if (seconds <= bound) this.#counts[i] = (this.#counts[i] ?? 0) + 1
  }

  lines(name: string, label: string): string[] {
    return [
      ...BOUNDS.map((bound, i) => `${name}_bucket{${label},le="${bound}"} ${this.#counts[i]}`),
      `${name}_bucket{${label},le="+Inf"} ${this.#count}`,
      `${name}_sum{${label}} ${this.#sum}`,
      `${name}_count{${label}} ${this.#count}`,
    ]
  }
}

class Counts {
  readonly statuses = new Map<number, number>()
  readonly errors = new Map<string, number>()
  inFlight = 0
  tokens = 0
  dollars = 0
  readonly first = new Histogram()
  readonly whole = new Histogram()
}

export class Metrics {
  readonly #bindings = new Map<string, Counts>()

  constructor(names: readonly string[]) {
    for (const name of names) this.#bindings.set(name, new Counts())
  }

  begin(binding: string): void {
    this.#of(binding).inFlight++
  }

  /** A run has ended. */
  end({ binding, codes, totals, firstMs, ms }: Run): void {
    const counts = this.#of(binding.name)
    counts.inFlight--
    counts.tokens += totals.tokens
    counts.dollars += totals.cost
    for (const [code, count] of codes) counts.errors.set(code, (counts.errors.get(code) ?? 0) + count)
    if (firstMs !== undefined) counts.first.add(firstMs / 1000)
    counts.whole.add(ms / 1000)
  }

  answered(binding: string, status: number): void {
    const { statuses } = this.#of(binding)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }

  /** In the text format. */
  get text(): string {
    const bindings = [...this.#bindings].map(([name, counts]) => ({ label: `binding="${name}"`, counts }))
    const each = (name: string, type: string, help: string, lines: (label: string, counts: Counts) => readonly string[]): string[] => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...bindings.flatMap(({ label, counts }) => lines(label, counts)),
    ]
    return [
      ...each('plumb_requests_total', 'counter', 'Requests answered.', (label, { statuses }) =>
        [...statuses].map(([status, count]) => `plumb_requests_total{${label},status="${status}"} ${count}`),
      ),
      ...each('plumb_in_flight', 'gauge', 'Runs in hand.', (label, { inFlight }) => [`plumb_in_flight{${label}} ${inFlight}`]),
      ...each('plumb_errors_total', 'counter', 'Inputs that failed, by error code.', (label, { errors }) =>
        [...errors].map(([code, count]) => `plumb_errors_total{${label},code="${code}"} ${count}`),
      ),
      ...each('plumb_tokens_total', 'counter', 'Tokens of models.', (label, { tokens }) => [`plumb_tokens_total{${label}} ${tokens}`]),
      ...each('plumb_cost_dollars_total', 'counter', 'What models have cost.', (label, { dollars }) => [
        `plumb_cost_dollars_total{${label}} ${dollars}`,
      ]),
      ...each('plumb_first_seconds', 'histogram', 'Time to the first text or output.', (label, { first }) =>
        first.lines('plumb_first_seconds', label),
      ),
      ...each('plumb_whole_seconds', 'histogram', 'Time to the end.', (label, { whole }) => whole.lines('plumb_whole_seconds', label)),
      '',
    ].join('\n')
  }

  #of(binding: string): Counts {
    return this.#bindings.get(binding) as Counts
  }
}
