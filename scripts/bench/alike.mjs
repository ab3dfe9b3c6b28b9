// What is compared does the same work: the same values come out of it.

import { isDeepStrictEqual } from 'node:util'

/**
 * Resolves to a map from program to error, of those that answer otherwise than ours or not at all. Those that have no answer are taken at
 * their word.
 */
export const findUnlike = async (programs, isUnordered) => {
  const unlike = new Map()
  const answers = new Map()
  for (const { program } of programs.filter(({ program, isAlike }) => isAlike && program.answer)) {
    try {
      answers.set(program, valuesOf(await program.answer(), isUnordered))
    } catch (error) {
      unlike.set(program, error)
    }
  }
  const wanted = answers.get(programs.find(({ role }) => role === 'ours').program)
  if (!wanted) return unlike
  for (const [program, is] of answers) {
    const at = wanted.findIndex((value, i) => !isDeepStrictEqual(value, is[i]))
    if (at >= 0 || is.length !== wanted.length)
      unlike.set(program, new Error(`it answers ${show(is, at)} where ours answers ${show(wanted, at)}`))
  }
  return unlike
}

const show = (values, at) => (at < 0 ? `${values.length} lines` : JSON.stringify(values[at]))

const valuesOf = (text, isUnordered) => {
  const lines = text.split('\n').filter((line) => line !== '')
  const values = lines.map((line) => JSON.parse(line))
  return isUnordered ? values.map(sortedText).sort() : values
}

const sortedText = (value) => JSON.stringify(value, (_, part) => (isRecord(part) ? Object.fromEntries(Object.entries(part).sort()) : part))

const isRecord = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
