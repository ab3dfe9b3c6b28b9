// What a protocol allows, by walking the tree of its steps: a position is a list of steps and a place in it, and no state is ever made.

/** `call` is also what `send T` and `recv T` are. */
export type ReferenceSteps = readonly (
  | { readonly call: string }
  | { readonly end: true }
  | { readonly loop: true }
  | { readonly to: string }
  | { readonly branches: readonly (readonly [string, ReferenceSteps])[]; readonly ends: boolean; readonly loops: boolean }
)[]

export type Trees = Readonly<Record<string, ReferenceSteps>>

export const textOf = (trees: Trees): string =>
  Object.entries(trees)
    .map(([name, steps]) => `protocol ${name} = ${stepsText(steps)}`)
    .join('\n')

const stepsText = (steps: ReferenceSteps): string =>
  steps
    .map((step) => {
      if ('call' in step) return step.call.includes(' ') ? step.call : `call ${step.call}`
      if ('end' in step) return 'end'
      if ('loop' in step) return 'loop'
      if ('to' in step) return step.to
      const labelled = step.branches.map(([label, inner]) => `${label}: ${stepsText(inner)}`)
      return `{ ${[...labelled, ...(step.ends ? ['end'] : []), ...(step.loops ? ['loop'] : [])].join(', ')} }`
    })
    .join(' . ')

export interface Options {
  readonly next: ReadonlyMap<string, () => Options>
  readonly mayEnd: boolean
}

class Wrong extends Error {}

export const referenceOf = (trees: Trees, name: string): { readonly isRight: boolean; readonly start: () => Options } => {
  const at =
    (own: string, steps: ReferenceSteps, i: number, passed = 0): (() => Options) =>
    () =>
      optionsAt(own, steps, i, passed)
  const optionsAt = (own: string, steps: ReferenceSteps, i: number, passed: number): Options => {
    // Through more names than there are, nothing has come between.
    if (passed > 20) throw new Wrong()
    const step = steps[i]
    if (!step) throw new Wrong()
    if ('call' in step) return { next: new Map([[step.call, at(own, steps, i + 1)]]), mayEnd: false }
    if ('end' in step) return { next: new Map(), mayEnd: true }
    if ('loop' in step) return optionsAt(own, trees[own] ?? [], 0, passed + 1)
    if ('to' in step) return optionsAt(step.to, trees[step.to] ?? [], 0, passed + 1)
    const next = new Map<string, () => Options>()
    const add = (label: string, then: () => Options) => {
      if (next.has(label)) throw new Wrong()
      next.set(label, then)
    }
    for (const [label, inner] of step.branches) add(label, at(own, inner, 0))
    const top = step.loops ? optionsAt(own, trees[own] ?? [], 0, passed + 1) : undefined
    for (const [label, then] of top?.next ?? []) add(label, then)
    return { next, mayEnd: step.ends || (top?.mayEnd ?? false) }
  }
  const start = at(name, trees[name] ?? [], 0)
  return { isRight: isRight(trees, name), start }
}

/** By trying all positions: each has options, leads to an end, and leaves the choice to one side. */
const isRight = (trees: Trees, name: string): boolean => {
  type Place = readonly [own: string, steps: ReferenceSteps, i: number]
  const places = new Map<string, Place>()
  const numbers = new Map<ReferenceSteps, number>()
  const key = ([own, steps, i]: Place): string => {
    if (!numbers.has(steps)) numbers.set(steps, numbers.size)
    return `${own} ${numbers.get(steps)} ${i}`
  }
  const ways = new Map<string, { readonly ends: boolean; readonly to: readonly (readonly [string, string])[] }>()
  const rest: Place[] = [[name, trees[name] ?? [], 0]]
  const settled = (place: Place, passed = 0): { ends: boolean; to: (readonly [string, Place])[] } => {
    const [own, steps, i] = place
    const step = steps[i]
    if (!step || passed > 20) throw new Wrong()
    if ('call' in step) return { ends: false, to: [[step.call, [own, steps, i + 1]]] }
    if ('end' in step) return { ends: true, to: [] }
    if ('loop' in step) return settled([own, trees[own] ?? [], 0], passed + 1)
    if ('to' in step) return settled([step.to, trees[step.to] ?? [], 0], passed + 1)
    const top = step.loops ? settled([own, trees[own] ?? [], 0], passed + 1) : { ends: false, to: [] }
    const to = [...step.branches.map(([label, inner]): readonly [string, Place] => [label, [own, inner, 0]]), ...top.to]
    if (new Set(to.map(([label]) => label)).size < to.length) throw new Wrong()
    return { ends: step.ends || top.ends, to }
  }
  try {
    for (let place = rest.pop(); place; place = rest.pop()) {
      if (places.has(key(place))) continue
      places.set(key(place), place)
      const { ends, to } = settled(place)
      ways.set(key(place), { ends, to: to.map(([label, then]) => [label, key(then)]) })
      rest.push(...to.map(([, then]) => then))
    }
  } catch (failure) {
    if (!(failure instanceof Wrong)) throw failure
    return false
  }
  const reaches = (from: string, isGoal: (key: string) => boolean, passes: (label: string) => boolean): boolean => {
    const seen = new Set([from])
    for (const one of seen) {
      if (isGoal(one)) return true
      for (const [label, to] of ways.get(one)?.to ?? []) if (passes(label)) seen.add(to)
    }
    return false
  }
  const isMessage = (label: string) => label.includes(' ')
  return [...ways].every(([from, { to }]) => {
    const leads = reaches(
      from,
      (one) => ways.get(one)?.ends === true,
      () => true,
    )
    if (!leads) return false
    if (to.every(([label]) => isMessage(label))) return true
    const begins = (way: string) =>
      reaches(
        from,
        (one) => (ways.get(one)?.to ?? []).some(([label]) => label.startsWith(way)),
        (label) => !isMessage(label),
      )
    return !(begins('send ') && begins('recv '))
  })
}
