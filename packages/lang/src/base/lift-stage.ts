// map(f) on a message: the chain of f in place, with run-time checks of its signature where types alone are not enough.

import type { Fault } from '@plumb/wire/error'
import type { Span } from '../diagnostic/source.js'
import { unreachable } from '../diagnostic/unreachable.js'
import type { Step } from '../expression/emit/fuse.js'
import type { MessageScanner } from '../expression/stage/message-scanner.js'
import { compileMap } from '../expression/stage/stage.js'
import type { Stage } from '../expression/stage/verdict.js'
import type { Bound } from '../names/names.js'
import type { Type } from '../types/type.js'
import { isWirable } from '../types/wirable.js'
import { planOfBase } from './base-chain.js'
import type { BasePlan } from './base-plan.js'
import { BaseStages } from './base-stage.js'

/** `scanner` is for f's input type; `report` is called for what f leaves out of a list. */
export const compileLift = (f: Bound, report: (fault: Fault) => void, scanner?: MessageScanner): Stage => {
  const steps = stepsOf(f)
  const [only, another] = steps ?? []
  // The called binding may accept more than f does.
  const isOne = only !== undefined && !another && only.input === f.inputs[0]
  return isOne ? compileMap(only.expression, { ...only, report }, scanner) : new BaseStages(report).of(f)
}

/** More consecutive maps than a hand-written program has; chains that call each other twice would exceed any limit. */
const MAX_STEPS = 64

/** The maps that f consists of, in order. Undefined: it has other parts, or needs run-time checks in between. */
export const stepsOf = (f: Bound): readonly Step[] | undefined => {
  const [takes] = f.inputs
  const steps: Step[] = []
  const add = (plan: BasePlan): boolean => {
    switch (plan.kind) {
      case 'id':
        return true
      case 'map':
        return steps.push(plan) <= MAX_STEPS
      case 'sequence':
        return plan.items.every(add)
      case 'named':
        return isStatic(plan.input, plan.bound.inputs[0]) && addNamed(plan.bound)
      case 'copy':
      case 'discard':
      case 'flatten':
      case 'choice':
      case 'product':
      case 'each':
      case 'trace':
        return false
      default:
        return unreachable(plan)
    }
  }
  const addNamed = (bound: Bound): boolean => {
    const plan = planOfBase(bound)
    return plan !== undefined && isStatic(plan.output, bound.outputs[0]) && add(plan)
  }
  if (!addNamed(f) || !takes) return undefined
  return steps.length > 0 ? steps : [{ kind: 'map', expression: whole(f.binding.span), input: takes }]
}

const isStatic = (source: Type | undefined, target: Type | undefined): boolean =>
  source !== undefined && target !== undefined && isWirable(source, target) === 'static'

const whole = (span: Span) => ({ kind: 'name', name: 'value', span }) as const
