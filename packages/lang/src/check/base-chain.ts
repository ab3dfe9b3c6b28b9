// Bare morphisms: what a chain of the base category gives for what it takes (tools.md, How tools combine).

import type { Chain, Expression, Node, Reference, TraceAtom } from '../ast.js'
import { type Diagnostic, error, type Report } from '../diagnostic.js'
import { checkExpression } from '../expression/check.js'
import { join } from '../expression/join.js'
import { type Bound, findBinding, type Scope, shown } from '../names.js'
import { conversion } from '../plan/conversion.js'
import { fieldOfWhole } from '../plan/field.js'
import { lastOf, partsOfTensor } from '../plan/walk.js'
import { printType } from '../types/print.js'
import { isSubtype } from '../types/subtype.js'
import { BOOL, resolve, type Type, UNIT } from '../types/type.js'
import { isWirable } from '../types/wirable.js'
import { memberOf } from './member.js'

/** Told of each expression with the type that it is applied to. */
export type Look = (expression: Expression, input: Type) => void

export const checkBaseChain = (bound: Bound, chain: Chain, report: Report, look: Look = () => {}): void => {
  const [input] = bound.inputs
  const [output] = bound.outputs
  const { type, diagnostics, seen } = new BaseChecker(bound.scope).check(chain, input)
  for (const d of diagnostics) report(d)
  for (const { expression, input } of seen) look(expression, input)
  if (type && output)
    refuseMisfit(
      `'${bound.name}' gives '${printType(type)}', its signature says '${printType(output)}'`,
      type,
      output,
      lastOf(chain),
      report,
    )
}

/** What a chain gives for one type of input, and all that was met on the way. Types are undefined where they are unknown because of an error. */
interface Outcome {
  readonly type: Type | undefined
  readonly diagnostics: readonly Diagnostic[]
  readonly seen: readonly { readonly expression: Expression; readonly input: Type }[]
}

/**
 * A tensor is tried on the whole input and then on its parts, and so is every tensor within it: outcomes are remembered, or the work would
 * grow with the power of the depth.
 */
class BaseChecker {
  private readonly outcomes = new Map<Chain, Map<Type | undefined, Outcome>>()
  private diagnostics: Diagnostic[] = []
  private seen: { expression: Expression; input: Type }[] = []

  constructor(private readonly scope: Scope) {}

  check(chain: Chain, input: Type | undefined): Outcome {
    const known = this.outcomes.get(chain)?.get(input)
    if (known) return known
    const outer = { diagnostics: this.diagnostics, seen: this.seen }
    this.diagnostics = []
    this.seen = []
    const type = this.infer(chain, input)
    const outcome = { type, diagnostics: this.diagnostics, seen: this.seen }
    this.diagnostics = outer.diagnostics
    this.seen = outer.seen
    const row = this.outcomes.get(chain) ?? new Map<Type | undefined, Outcome>()
    this.outcomes.set(chain, row.set(input, outcome))
    return outcome
  }

  /** Checks a part and takes over what was met in it. */
  private typeOf(chain: Chain, input: Type | undefined): Type | undefined {
    return this.accept(this.check(chain, input))
  }

  private accept({ type, diagnostics, seen }: Outcome): Type | undefined {
    this.diagnostics.push(...diagnostics)
    this.seen.push(...seen)
    return type
  }

  private readonly report: Report = (d) => this.diagnostics.push(d)

  private fail(message: string, at: Node, help?: string, code: 'stream_in_base' | 'type_mismatch' = 'stream_in_base'): undefined {
    this.report(error(code, message, at.span, help))
  }

  private expression(expression: Expression, input: Type | undefined): Type | undefined {
    if (!input) return undefined
    this.seen.push({ expression, input })
    return checkExpression(expression, input, this.report)
  }

  private infer(chain: Chain, input: Type | undefined): Type | undefined {
    switch (chain.kind) {
      case 'id':
        return input
      case 'copy':
        return input && { kind: 'tuple', items: [input, input] }
      case 'discard':
        return UNIT
      case 'map':
        return this.expression(chain.expression, input)
      case 'merge':
      case 'barrier':
      case 'filter':
      case 'project':
      case 'empty':
        return this.fail(
          `'${chain.kind}' stands on streams only (not total)`,
          chain,
          'a bare morphism gives exactly one result for each input',
        )
      case 'sequence':
        return chain.items.reduce((type, item) => this.typeOf(item, type), input)
      case 'tensor':
        return this.tensor(partsOfTensor(chain), input)
      case 'choice':
        return this.choice(chain.items, input, chain)
      case 'trace':
        return this.trace(chain, input)
      case 'field': {
        const member = memberOf(chain, this.scope)
        if (member) return this.reference(member, input)
        return this.expression(fieldOfWhole(chain), this.typeOf(chain.of, input))
      }
      case 'reference':
        return this.reference(chain, input)
    }
  }

  // Each on the whole input; or each on its part, when that is a tuple of as many parts that fit, and the whole does not.
  private tensor(items: readonly Chain[], input: Type | undefined): Type | undefined {
    let outcomes = items.map((item) => this.check(item, input))
    const tuple = input && resolve(input)
    if (tuple?.kind === 'tuple' && tuple.items.length === items.length && outcomes.some((o) => o.diagnostics.length > 0)) {
      outcomes = items.map((item, i) => this.check(item, tuple.items[i]))
    }
    const types = outcomes.map((outcome) => this.accept(outcome))
    return types.every((t) => t !== undefined) ? { kind: 'tuple', items: types } : undefined
  }

  private choice(items: readonly Chain[], input: Type | undefined, at: Node): Type | undefined {
    const types = items.map((item) => this.typeOf(item, input))
    if (!types.every((t) => t !== undefined)) return undefined
    const joined = types.reduce<Type | undefined>((type, other) => type && join(type, other), types[0])
    if (joined) return joined
    const shown = types.map((type) => `'${printType(type)}'`).join(' and ')
    return this.fail(`the alternatives give ${shown}`, at, 'they have one type, or types that are disjoint', 'type_mismatch')
  }

  private trace({ chain, max, until }: TraceAtom, input: Type | undefined): Type | undefined {
    const type = this.typeOf(chain, input)
    const fits =
      !type ||
      !input ||
      !refuseMisfit(`'trace' feeds back '${printType(type)}', it takes '${printType(input)}'`, type, input, lastOf(chain), this.report)
    const condition = until && this.expression(until, type)
    if (until && condition && !isSubtype(condition, BOOL) && resolve(condition).kind !== 'json') {
      this.fail(`'until' needs a bool, this is '${printType(condition)}'`, until, undefined, 'type_mismatch')
    }
    const isCount = typeof max?.value === 'number' && Number.isSafeInteger(max.value) && max.value >= 1
    if (max && !isCount) this.fail("'max' is a whole number from 1", max, undefined, 'type_mismatch')
    return fits ? type : undefined
  }

  private reference(reference: Reference, input: Type | undefined): Type | undefined {
    const bound = findBinding(reference.name, this.scope, this.report, (b) => b.category === 'base')
    if (bound === 'unknown' || bound.category === 'unknown') return undefined
    const name = shown(reference.name)
    if (bound.category !== 'base') {
      const help = bound.category === 'stream' ? `lower it: 'tool { process: ${name} }'` : undefined
      return this.fail(`'${name}' is no bare morphism (base category)`, reference, help)
    }
    if (reference.port) return this.fail('a bare morphism has no ports to name', reference.port)
    const [takes] = bound.inputs
    if (takes && input)
      refuseMisfit(`'${name}' takes '${printType(takes)}', it is given '${printType(input)}'`, input, takes, reference, this.report)
    return bound.outputs[0]
  }
}

/** True when it was reported. */
const refuseMisfit = (message: string, source: Type, target: Type, at: Node, report: Report): boolean => {
  const isMisfit = isWirable(source, target) === 'no'
  if (isMisfit) report(error('type_mismatch', message, at.span, conversion(source, target)))
  return isMisfit
}
