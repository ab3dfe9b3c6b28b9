// Checks a bare chain for one input type: returns its plan, and all errors (plumb-tools(7), How tools combine).

import { type Diagnostic, error, hasErrors, type Report } from '../diagnostic/diagnostic.js'
import { unreachable } from '../diagnostic/unreachable.js'
import { checkUsed } from '../expression/check-expression.js'
import { fieldOfWhole, memberOf } from '../names/member.js'
import { findBinding, printName, resolveName, type Scope } from '../names/names.js'
import type { Chain, EachAtom, Expression, MapAtom, Node, Reference, TraceAtom } from '../parse/ast.js'
import { firstOf, lastOf, partsOfTensor } from '../parse/chain-parts.js'
import { conversion } from '../types/conversion.js'
import { refuseDeepType } from '../types/depth.js'
import { joinAll } from '../types/join.js'
import { printType } from '../types/print.js'
import { isSubtype } from '../types/subtype.js'
import { BOOL, JSON_TYPE, resolve, type Type, UNIT } from '../types/type.js'
import { widened } from '../types/widened.js'
import { isWirable } from '../types/wirable.js'
import type { BasePlan } from './base-plan.js'
import { eachSettings, elementUnder, parallelOf, refuseParallel } from './each.js'
import { bindingNamedBy, warnLoneName } from './lone-name.js'

/** The default `max` of a trace. */
const DEFAULT_MAX = 100
/** The default `parallel` of an each. */
const MAX_CALLS = 8

/**
 * The plan of a chain for one input type, and all diagnostics. There is no plan if its output type is unknown because of an error; if only
 * a part has an error, the plan continues without it, for later checks.
 */
export interface CheckedChain {
  readonly plan: BasePlan | undefined
  readonly diagnostics: readonly Diagnostic[]
  readonly seen: readonly { readonly expression: Expression; readonly input: Type }[]
}

/**
 * A tensor is tried on the whole input and then on its parts, recursively: outcomes are memoised, or the work would be exponential in the
 * depth.
 */
export class BaseChecker {
  private readonly outcomes = new Map<Chain, Map<Type | undefined, CheckedChain>>()
  private diagnostics: Diagnostic[] = []
  private seen: { expression: Expression; input: Type }[] = []

  constructor(private readonly scope: Scope) {}

  check(chain: Chain, input: Type | undefined): CheckedChain {
    const known = this.outcomes.get(chain)?.get(input)
    if (known) return known
    const outer = { diagnostics: this.diagnostics, seen: this.seen }
    this.diagnostics = []
    this.seen = []
    const inferred = this.infer(chain, input)
    const plan = inferred && refuseDeepType(inferred.output, lastOf(chain).span, this.report) ? undefined : inferred
    const outcome = { plan, diagnostics: this.diagnostics, seen: this.seen }
    this.diagnostics = outer.diagnostics
    this.seen = outer.seen
    const row = this.outcomes.get(chain) ?? new Map<Type | undefined, CheckedChain>()
    this.outcomes.set(chain, row.set(input, outcome))
    return outcome
  }

  /** Checks a part and adds its diagnostics. */
  private planOf(chain: Chain, input: Type | undefined): BasePlan | undefined {
    return this.accept(this.check(chain, input))
  }

  private accept({ plan, diagnostics, seen }: CheckedChain): BasePlan | undefined {
    this.diagnostics.push(...diagnostics)
    this.seen.push(...seen)
    return plan
  }

  private readonly report: Report = (d) => this.diagnostics.push(d)

  private fail(message: string, at: Node, help?: string, code: 'stream_in_base' | 'type_mismatch' = 'stream_in_base'): undefined {
    this.report(error(code, message, at.span, help))
  }

  private expression(expression: Expression, input: Type | undefined): Type | undefined {
    if (!input) return undefined
    this.seen.push({ expression, input })
    return checkUsed(expression, { input, scope: this.scope }, this.report)
  }

  private infer(chain: Chain, input: Type | undefined): BasePlan | undefined {
    switch (chain.kind) {
      case 'id':
        return input && { kind: 'id', input, output: input }
      case 'endorse':
      case 'declassify':
        return input && { kind: 'id', input, output: input, crossing: chain }
      case 'copy':
        return input && { kind: 'copy', input, output: { kind: 'tuple', items: [input, input] } }
      case 'discard':
        return { kind: 'discard', input: input ?? JSON_TYPE, output: UNIT }
      case 'flatten':
        return this.flatten(chain, input)
      case 'map':
        return this.mapOrLift(chain, input)
      case 'merge':
      case 'barrier':
      case 'filter':
      case 'project':
      case 'empty':
      case 'batch':
      case 'fold':
        return this.fail(
          `'${chain.kind}' is for streams only (not total)`,
          chain,
          'a bare morphism gives exactly one result for each input',
        )
      case 'sequence':
        return this.sequence(
          chain.items.map((item) => (type) => this.planOf(item, type)),
          input,
        )
      case 'tensor':
        return this.product(partsOfTensor(chain), input)
      case 'choice':
        return this.choice(chain.items, input, chain)
      case 'each':
        return this.each(chain, input)
      case 'trace':
        return this.trace(chain, input)
      case 'field': {
        const member = memberOf(chain, this.scope)
        if (member) return this.reference(member, input)
        return this.sequence([(type) => this.planOf(chain.of, type), (type) => this.map(fieldOfWhole(chain), type)], input)
      }
      case 'reference':
        return this.reference(chain, input)
      default:
        return unreachable(chain)
    }
  }

  // In a bare chain map(f) is f.
  private mapOrLift(atom: MapAtom, input: Type | undefined): BasePlan | undefined {
    const { expression } = atom
    parallelOf(atom.parallel, this.scope, this.report)
    const name = input && bindingNamedBy(expression, input, this.scope)
    if (name) {
      this.seen.push({ expression, input })
      return this.reference({ kind: 'reference', name, span: expression.span }, input)
    }
    if (input) refuseParallel(atom, this.report)
    if (input) warnLoneName(expression, input, 'map', this.scope, this.report)
    return this.map(expression, input)
  }

  private map(expression: Expression, input: Type | undefined): BasePlan | undefined {
    const output = this.expression(expression, input)
    return input && output && { kind: 'map', input, output, expression, scope: this.scope }
  }

  private sequence(steps: readonly ((input: Type | undefined) => BasePlan | undefined)[], input: Type | undefined): BasePlan | undefined {
    const plans: (BasePlan | undefined)[] = []
    for (const step of steps) plans.push(step(plans.length === 0 ? input : plans.at(-1)?.output))
    const last = plans.at(-1)
    return last && { kind: 'sequence', input: input ?? JSON_TYPE, output: last.output, items: plans.filter((plan) => plan !== undefined) }
  }

  // Each on the whole input; or each on its part, if the input is a tuple of as many matching parts, and does not match as a whole.
  private product(chains: readonly Chain[], input: Type | undefined): BasePlan | undefined {
    const onWhole = chains.map((item) => this.check(item, input))
    const tuple = input && resolve(input)
    const parts = tuple?.kind === 'tuple' && tuple.items.length === chains.length ? tuple.items : undefined
    const isOnParts = parts !== undefined && onWhole.some((o) => hasErrors(o.diagnostics))
    const outcomes = isOnParts ? chains.map((item, i) => this.check(item, parts[i])) : onWhole
    const items = outcomes.map((outcome) => this.accept(outcome))
    if (!items.every((item) => item !== undefined)) return undefined
    const output: Type = { kind: 'tuple', items: items.map((item) => item.output) }
    return { kind: 'product', input: input ?? JSON_TYPE, output, isOnParts, items }
  }

  private choice(chains: readonly Chain[], input: Type | undefined, at: Node): BasePlan | undefined {
    const items = chains.map((item) => this.planOf(item, input))
    if (!items.every((item) => item !== undefined)) return undefined
    const types = items.map((item) => item.output)
    const output = joinAll(types)
    if (output) return { kind: 'choice', input: input ?? JSON_TYPE, output, items }
    const shown = types.map((type) => `'${printType(type)}'`).join(' and ')
    return this.fail(`the alternatives give ${shown}`, at, 'they have one type, or types that are disjoint', 'type_mismatch')
  }

  private each(each: EachAtom, input: Type | undefined): BasePlan | undefined {
    const settings = eachSettings(each, this.scope, this.report)
    const element = input && elementUnder(input, 'each', each, this.report)
    const body = this.planOf(each.chain, element)
    if (!body || (input && !element)) return undefined
    const output: Type = { kind: 'array', item: body.output }
    return { kind: 'each', input: input ?? JSON_TYPE, output, body, parallel: settings.parallel ?? MAX_CALLS, skips: settings.skips }
  }

  // The concatenation of the lists in a list.
  private flatten(at: Node, input: Type | undefined): BasePlan | undefined {
    const list = input && elementUnder(input, 'flatten', at, this.report)
    const item = list && elementUnder(list, 'flatten', at, this.report)
    return item && { kind: 'flatten', input, output: { kind: 'array', item } }
  }

  private trace({ chain, max, until }: TraceAtom, given: Type | undefined): BasePlan | undefined {
    const input = given && this.roundType(chain, given)
    const body = this.planOf(chain, input)
    const type = body?.output
    const fits =
      !type ||
      !input ||
      !refuseMismatch(
        () => `'trace' feeds back '${printType(type)}', it takes '${printType(input)}'`,
        type,
        input,
        lastOf(chain),
        this.report,
      )
    const condition = until && this.expression(until, type)
    if (until && condition && !isSubtype(condition, BOOL) && resolve(condition).kind !== 'json') {
      this.fail(`'until' needs a bool, this is '${printType(condition)}'`, until, undefined, 'type_mismatch')
    }
    const count = max ? max.value : DEFAULT_MAX
    const isCount = typeof count === 'number' && Number.isSafeInteger(count) && count >= 1
    if (max && !isCount) this.fail("'max' is a whole number from 1", max, undefined, 'type_mismatch')
    if (!body || !fits) return undefined
    const { input: takes, output } = body
    const { scope } = this
    return { kind: 'trace', input: takes, output, body, max: isCount ? count : DEFAULT_MAX, scope, ...(until ? { until } : {}) }
  }

  // What goes round: the type that comes, or a wider one that the function takes, as an int before one of numbers.
  private roundType(chain: Chain, given: Type): Type {
    const isStable = (type: Type) => {
      const { plan } = this.check(chain, type)
      return plan !== undefined && isWirable(plan.output, type) !== 'no'
    }
    const gives = this.check(chain, given).plan?.output
    if (!gives || isWirable(gives, given) !== 'no') return given
    const declared = this.declaredInput(firstOf(chain))
    const wider = [declared, widened(given)].find((type) => type && isWirable(given, type) !== 'no' && isStable(type))
    return wider ?? given
  }

  private declaredInput(first: Chain): Type | undefined {
    const reference = first.kind === 'field' ? memberOf(first, this.scope) : first.kind === 'reference' ? first : undefined
    return reference && resolveName(reference.name, this.scope)?.inputs[0]
  }

  private reference(reference: Reference, input: Type | undefined): BasePlan | undefined {
    const bound = findBinding(reference.name, this.scope, this.report, (b) => b.category === 'base')
    if (bound === 'unknown' || bound.category === 'unknown') return undefined
    const name = printName(reference.name)
    if (bound.category !== 'base') {
      const help = bound.category === 'stream' ? `lower it: 'tool { process: ${name} }'` : undefined
      return this.fail(`'${name}' is not a bare morphism (base category)`, reference, help)
    }
    if (reference.port) return this.fail('a bare morphism has no ports to name', reference.port)
    const [takes] = bound.inputs
    const [output] = bound.outputs
    if (takes && input)
      refuseMismatch(() => `'${name}' takes '${printType(takes)}', it is given '${printType(input)}'`, input, takes, reference, this.report)
    return output && { kind: 'named', input: input ?? takes ?? JSON_TYPE, output, bound }
  }
}

/** True if it was reported. */
export const refuseMismatch = (message: () => string, source: Type, target: Type, at: Node, report: Report): boolean => {
  const isMismatch = isWirable(source, target) === 'no'
  if (isMismatch) report(error('type_mismatch', message(), at.span, conversion(source, target)))
  return isMismatch
}
