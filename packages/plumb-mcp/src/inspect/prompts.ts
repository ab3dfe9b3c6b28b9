// plumb-mcp prompts: those of a server, one a line; or one of them, with its arguments filled in.

import { fault, parseJson, type Result } from '@plumb/wire'
import type { Verb } from './inspect.js'
import { isTexts, toOurs } from './to-ours.js'

export const prompts: Verb = async ({ asked, connection, write, report }) => {
  const [name, given = '{}'] = asked.words
  if (name === undefined) {
    const listed = await connection.prompts()
    if (!listed.ok) return report(listed.error)
    for (const prompt of listed.value) write(JSON.stringify(toOurs(prompt)))
    return
  }
  const args = readArguments(given)
  if (!args.ok) return report(args.error)
  const prompt = await connection.prompt(name, args.value)
  if (prompt.ok) write(JSON.stringify(toOurs(prompt.value)))
  else report(prompt.error)
}

const readArguments = (given: string): Result<Readonly<Record<string, string>>> => {
  const bytes = Buffer.from(given)
  const parsed = parseJson(bytes, 0, bytes.length)
  if (!parsed.ok) return { ok: false, error: { ...parsed.error, detail: `the arguments are ${parsed.error.detail}` } }
  if (isTexts(parsed.value)) return { ok: true, value: parsed.value }
  return {
    ok: false,
    error: fault('input_type_mismatch', 'the arguments of a prompt are a JSON object of strings, such as {"city":"Rome"}'),
  }
}
