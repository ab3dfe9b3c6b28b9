// One input as JSON, answered by its outcome as JSON, or by its error as a problem.

import { type Fault, fault, isFault } from '@plumb/wire'
import type { Exchange } from '../http/exchange.js'
import type { Run } from '../run/run.js'

interface Outcome {
  /** JSON text of each: the value, or with its port. */
  readonly outputs: readonly string[]
  /** Undefined: it did not fail. */
  readonly failure: Fault | undefined
}

export const answerJson = async (exchange: Exchange, run: Run): Promise<void> => {
  const { outputs, failure = run.cancellation } = await outcomeOf(run)
  const { answersOnce, outputs: ports } = run.binding
  if (failure) {
    const more = outputs.length === 0 || answersOnce ? {} : { outputs: outputs.map((json) => JSON.parse(json) as unknown) }
    return exchange.problem({ seq: 1, ...failure }, { more })
  }
  if (!answersOnce || ports.length > 1) return exchange.json(200, `{"outputs":[${outputs.join(',')}]}`)
  const [first] = outputs
  if (outputs.length === 1 && first !== undefined) return exchange.json(200, first)
  const gave = outputs.length === 0 ? 'no output' : `${outputs.length} outputs`
  exchange.problem(fault('output_type_mismatch', `'${run.binding.name}' gave ${gave} for one input, and one was due`, { seq: 1 }))
}

/** Waits for the end of the run. */
const outcomeOf = async (run: Run): Promise<Outcome> => {
  const outputs: string[] = []
  let failure: Fault | undefined
  for (let item = await run.feed.after(0); item; item = await run.feed.after(item.id)) {
    if (item.event === 'output') outputs.push(valueIn(item.data))
    else if (item.event === 'error') failure ??= failureIn(item.data)
    run.feed.read(item.id)
  }
  return { outputs, failure }
}

// `{"seq":1,"value":V}`: V keeps its digits. One with a port keeps that too.
const valueIn = (data: string): string => {
  const plain = /^\{"seq":(?:\d+|null),"value":/.exec(data)
  if (plain) return data.slice(plain[0].length, -1)
  return data.replace(/^\{"seq":(?:\d+|null),/, '{')
}

// An element that was left out of a list has not made the input fail.
const failureIn = (data: string): Fault | undefined => {
  const { error } = JSON.parse(data) as { readonly error: unknown }
  return isFault(error) && error.index === undefined ? error : undefined
}
