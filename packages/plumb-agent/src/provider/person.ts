// A person as a provider: each input is a question, and the answer is that of the agent.

import { type Json, resolve, type Type, toSchema } from '@plumb/lang'
import { type Fault, fail } from '@plumb/wire'
import { validate } from '../answer/validate.js'
import { NO_USAGE } from './provider.js'
import type { PreparedProvider } from './settings.js'

export const preparePerson = (): PreparedProvider => ({
  ok: true,
  value: {
    answer: async ({ askPerson, system, turn, input, output }, cancelled) => {
      const content = turn.findLast(({ role }) => role === 'user')?.content ?? ''
      const check = (json: string): Fault | undefined => {
        const checked = validate(json, output)
        return checked.ok ? undefined : checked.error
      }
      const question = { prompt: system, input: jsonOf(content, input), schema: toSchema(output), check }
      const answered = (await askPerson?.(question, cancelled.signal)) ?? fail('approval_required', 'there is nobody to ask')
      if (!answered.ok) return { ok: false, error: answered.error }
      const text = resolve(output).kind === 'string' ? (JSON.parse(answered.value) as string) : answered.value
      return { ok: true, value: { content: [{ type: 'text', text }], stop: 'end', usage: NO_USAGE } }
    },
  },
})

/** A text is itself in a message, and all else is JSON already. */
const jsonOf = (content: Json, input: Type): string =>
  typeof content === 'string' && resolve(input).kind !== 'string' ? content : JSON.stringify(content)
