// The message to the model about an answer that was not accepted.

import { namesWithin, printType, resolve, type Type, toSchema } from '@plumb/lang'
import { type Fault, preview } from '@plumb/wire'
import type { ModelAnswer } from '../provider/provider.js'
import { wrapperOf } from './wrapped.js'

/** `text`: the answer. */
export const complaint = ({ stop, isWrapped }: ModelAnswer, text: string, { detail }: Fault, output: Type): string => {
  const isCut = stop === 'tokens'
  const problem = `Your last answer was ${isCut ? 'too long, and was cut' : `not accepted: ${detail}`}.`
  if (resolve(output).kind === 'string') return `${problem}\nAnswer again, ${isCut ? 'shorter' : 'whole'}.`
  const type = isWrapped ? wrapperOf(output) : output
  // Includes the type even if the answer was only too long: a model of 135 million parameters never ends its lists without it.
  const again = `Answer again${isCut ? ', shorter,' : ''} with nothing but one JSON value of the type ${writtenOut(type)}.`
  return [problem, again, ...(isOnlyCut(stop, text, output) ? [] : [`Its JSON Schema: ${JSON.stringify(toSchema(type))}`])].join('\n')
}

/** Of an answer that the server could not read, such as a call in no form of its own. */
export const unreadableComplaint = ({ detail }: Fault): string =>
  `Your last answer could not be read: ${preview(detail, 300)}.\nAnswer again; to call a tool, use the form for it, with arguments that are JSON.`

/** The answer may be the beginning of a value: nothing shows that the model, or its server, does not know the type. */
export const isOnlyCut = (stop: ModelAnswer['stop'], text: string, output: Type): boolean =>
  stop === 'tokens' && (resolve(output).kind === 'string' || /^\s*(?:[[{]|$)/.test(text))

// A name means nothing to a model that has not read the spec.
const writtenOut = (type: Type): string => {
  const whole = resolve(type)
  const names = namesWithin([whole]).map(({ name, target }) => `${name} = ${printType(target)}`)
  return preview([printType(whole), ...(names.length > 0 ? [`where ${names.join(', ')}`] : [])].join(', '), MAX_TYPE)
}

/** Maximum characters of a type in the prompt. */
const MAX_TYPE = 1000
