// A program with tools of its own: functions become tools, are made safe, combined and called.

import {
  adaptFunction,
  andThen,
  callTool,
  choice,
  type Json,
  makeSession,
  product,
  sequence,
  type Type,
  withRetry,
  withTimeout,
} from '@plumb/tool'

const WEATHER: Type = { kind: 'record', fields: [{ name: 'degrees', type: { kind: 'number' }, isOptional: false }] }
const CITY = { city: { type: 'string', description: 'its name' } } as const

const measure = adaptFunction({
  name: 'measure',
  description: 'The weather of a city',
  parameters: CITY,
  output: WEATHER,
  fn: ({ city }) => {
    if (city !== 'Reykjavik') throw new Error(`no thermometer in ${city}`)
    return { degrees: 4 }
  },
})

const guess = adaptFunction({
  name: 'guess',
  description: 'What the weather may be like anywhere',
  parameters: CITY,
  output: WEATHER,
  fn: () => ({ degrees: 21 }),
})

const advise = adaptFunction({
  name: 'advise',
  description: 'What to wear',
  parameters: { degrees: { type: 'number', description: 'Celsius' } },
  output: { kind: 'string' },
  fn: ({ degrees }) => (degrees < 10 ? 'a coat' : 'a shirt'),
})

// A thermometer gets two attempts of a second each; where there is none, a guess will do.
const safe = withRetry({ attempts: 2 })(withTimeout({ timeoutMs: 1000 })(measure))
const weather = choice([safe, guess])

// What does not fit together is said here, and not by a call.
const journey = andThen(weather, (known) => andThen(sequence([known, advise]), (advice) => product([known, advice])))

/** The weather and what to wear in it, or why they are unknown. */
export const packFor = async (city: string): Promise<Json> => {
  if (!journey.ok) return journey.error.detail
  const packed = await callTool(journey.value, { city }, { session: makeSession() })
  return packed.ok ? packed.value : packed.error.detail
}
