// The tools of a test: doubles by their scripts, and tools without effects. A tool with effects and without a double is refused.

import type { Bound, Script, ScriptedAnswer, ToolPlan } from '@plumb/lang'
import { effectsOf } from '@plumb/policy'
import type { StandIn, Tool } from '@plumb/tool/internal'
import { fail, fault, preview, type Result, succeed } from '@plumb/wire'
import type { CallLog } from './call-log.js'
import { notRun } from './outside.js'
import { openComputed, ScriptPlayer } from './script-player.js'
import { faultOf } from './scripted-agent.js'

type ToolPackage = typeof import('@plumb/tool/internal')

export interface DoublesOptions {
  readonly tools: ReadonlyMap<Bound, Script>
  readonly offered: ReadonlyMap<string, Script>
  /** Tools that run as in a real run. */
  readonly isLive: (bound: Bound) => boolean
  /** Why the tool itself is not run. */
  readonly whyOutside: (plan: ToolPlan) => string | undefined
  readonly asked: CallLog
  readonly random: (script: Script) => string
}

/** Made of other tools, which are doubled or refused themselves. */
const COMBINING: ReadonlySet<string> = new Set(['pool', 'handoff', 'spy', 'flaky'])

export class Doubles {
  readonly #o: DoublesOptions
  readonly #package: ToolPackage
  readonly #offered: ReadonlyMap<string, ScriptPlayer>

  constructor(tool: ToolPackage, options: DoublesOptions) {
    this.#package = tool
    this.#o = options
    this.#offered = new Map([...options.offered].map(([name, script]) => [name, new ScriptPlayer(script)]))
  }

  /** The double of a tool. Undefined: the tool itself runs. */
  readonly standIn: StandIn = (plan) => {
    const script = this.#o.tools.get(plan.bound)
    if (script) return this.#double(plan, script)
    if (!this.#o.isLive(plan.bound) && !isHarmless(plan)) return this.#refusal(plan)
    const why = this.#o.whyOutside(plan)
    return why === undefined ? undefined : this.#skip(plan, why)
  }

  /** A tool of a server is not part of the program, so it has a double or is refused. */
  async callOffered(name: string, input: string): Promise<Result<string>> {
    const script = this.#o.offered.get(name)
    const player = this.#offered.get(name)
    if (script && player) return this.#answer(script, player, input)
    return this.#refuse(name)
  }

  #double(plan: ToolPlan, script: Script): Tool {
    const player = new ScriptPlayer(script)
    const { name, input, output, bound } = plan
    const double: Tool = {
      name,
      input,
      output,
      run: async (json) => {
        this.#o.asked.note(bound, json)
        return this.#answer(script, player, json)
      },
    }
    // A result of the wrong type is an error, as for the tool itself.
    return this.#package.secure(double, { effects: [], needsApproval: false, attempts: 1 })
  }

  #refusal({ name, input, output }: ToolPlan): Tool {
    return { name, input, output, run: async () => this.#refuse(name) }
  }

  #skip({ name, input, output }: ToolPlan, why: string): Tool {
    const run = async () => {
      this.#o.asked.skipped ??= notRun(name, why)
      return fail('not_doubled', this.#o.asked.skipped)
    }
    return { name, input, output, run }
  }

  #refuse(name: string): Result<string> {
    const message = `'${name}' reaches outside: give it a double under 'tools', or write live: ["${name}"]`
    this.#o.asked.addUnanswered('not_doubled', message)
    return fail('not_doubled', message)
  }

  #answer(script: Script, player: ScriptPlayer, input: string): Result<string> {
    const answer = player.next(input)
    if (answer) return this.#resultOf(answer, script, input)
    const message = `'${script.name}' ${player.lack(input, 'result')}`
    this.#o.asked.addUnanswered('model', message, script.span)
    return fail('internal', message)
  }

  #resultOf(answer: ScriptedAnswer, script: Script, input: string): Result<string> {
    switch (answer.kind) {
      case 'value':
        return succeed(answer.json)
      case 'random':
        return succeed(this.#o.random(script))
      case 'computed': {
        const json = openComputed(answer.parameter, answer.computed)(input)
        return json === undefined
          ? { ok: false, error: fault('evaluation_failed', `the double of '${script.name}' has no value for ${preview(input)}`) }
          : succeed(json)
      }
      case 'error':
        return { ok: false, error: faultOf(answer.code, `'${script.name}' failed with '${answer.code}', as its double says`) }
      case 'call':
        return fail('internal', `the double of '${script.name}' calls a tool, which only a model does`)
    }
  }
}

/** Whether it has effects. */
export const needsDouble = (plan: ToolPlan): boolean => !isHarmless(plan)

const isHarmless = (plan: ToolPlan): boolean => {
  const { body } = plan
  if (body.kind === 'chain') return true
  if (COMBINING.has(body.source)) return body.config.record === undefined
  return effectsOf(plan).length === 0
}
