// What the model hears of an answer that is not accepted.

import { namesWithin, printType, resolve, type Type, toSchema } from '@plumb/lang'
import { type Fault, preview } from '@plumb/wire'
import type { ModelAnswer } from '../provider/provider.js'
import { wrapperOf } from './wrapped.js'

/** `text`: that of the answer. */
export const complaint = ({ stop, isWrapped }: ModelAnswer, text: string, { detail }: Fault, output: Type): string => {
  const isCut = stop === 'tokens'
  const problem = `Your last answer was ${isCut ? 'too long, and was cut' : `not accepted: ${detail}`}.`
  if (resolve(output).kind === 'string') return `${problem}\nAnswer again, ${isCut ? 'shorter' : 'whole'}.`
  const type = isWrapped ? wrapperOf(output) : output
  // The type also of what was only too long: a model of 135 million parameters ends none of its lists without.
  const again = `Answer again${isCut ? ', shorter,' : ''} with nothing but one JSON value of the type ${writtenOut(type)}.`
  return [problem, again, ...(isOnlyCut(stop, text, output) ? [] : [`Its JSON Schema: ${JSON.stringify(toSchema(type))}`])].join('\n')
}

/** Nothing shows that the model, or its server, does not know what is asked for: it was on its way to a value, or not yet. */
export const isOnlyCut = (stop: ModelAnswer['stop'], text: string, output: Type): boolean =>
  stop === 'tokens' && (resolve(output).kind === 'string' || /^\s*(?:[[{]|$)/.test(text))

// A name says nothing to who has not read the spec.
const writtenOut = (type: Type): string => {
  const whole = resolve(type)
  const names = namesWithin([whole]).map(({ name, target }) => `${name} = ${printType(target)}`)
  return preview([printType(whole), ...(names.length > 0 ? [`where ${names.join(', ')}`] : [])].join(', '), MAX_TYPE)
}

/** What stands in the prompt of a type, in characters. */
const MAX_TYPE = 1000
