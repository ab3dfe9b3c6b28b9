// The messages that each part of a run holds, and what it waits for: shown on SIGQUIT.

/** `of`: the kind of part; the other members are numbers of messages, and whether it can continue. */
export interface Holding {
  readonly of: 'input' | 'process' | 'barrier' | 'batch' | 'each' | 'choice' | 'call' | 'cycle' | 'output'
  readonly name: string
  readonly [what: string]: string | number | boolean | readonly number[]
}

/** One line for people, as `process 'critic': pid 17, in_hand 3, is_full`. */
export const showHolding = ({ of, name, ...rest }: Holding): string => {
  const parts = Object.entries(rest).flatMap(([what, value]) => (value === false ? [] : [value === true ? what : `${what} ${value}`]))
  return `${of}${name === '' ? '' : ` '${name}'`}: ${parts.length === 0 ? 'nothing' : parts.join(', ')}`
}
