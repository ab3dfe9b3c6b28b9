// Checks that the compared programs do the same work: they must give the same values.

import { isDeepStrictEqual } from 'node:util'

/**
 * Resolves to a map from program to error, for programs whose answer differs from ours or is missing. A program without an `answer` is not
 * checked.
 */
export const findDifferentAnswers = async (programs, isUnordered) => {
  const different = new Map()
  const answers = new Map()
  for (const { program } of programs.filter(({ program, mustAgree }) => mustAgree && program.answer)) {
    try {
      answers.set(program, valuesOf(await program.answer(), isUnordered))
    } catch (error) {
      different.set(program, error)
    }
  }
  const wanted = answers.get(programs.find(({ role }) => role === 'ours').program)
  if (!wanted) return different
  for (const [program, is] of answers) {
    const at = wanted.findIndex((value, i) => !isDeepStrictEqual(value, is[i]))
    if (at >= 0 || is.length !== wanted.length)
      different.set(program, new Error(`it answers ${show(is, at)} where ours answers ${show(wanted, at)}`))
  }
  return different
}

const show = (values, at) => (at < 0 ? `${values.length} lines` : JSON.stringify(values[at]))

const valuesOf = (text, isUnordered) => {
  const lines = text.split('\n').filter((line) => line !== '')
  const values = lines.map((line) => JSON.parse(line))
  return isUnordered ? values.map(sortedText).sort() : values
}

const sortedText = (value) => JSON.stringify(value, (_, part) => (isRecord(part) ? Object.fromEntries(Object.entries(part).sort()) : part))

const isRecord = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
