// A call that a server has left in the text, in the notation of its model. It is not made: a text may quote one that a stranger wrote.

/**
 * The beginnings of a call at the beginning of a line: Hermes and Qwen, GLM, MiniMax (`<tool_call>`, `<function=NAME>`, `<invoke name=`), Kimi
 * (`<|tool_calls_section_begin|>`), DeepSeek (`<｜tool▁calls▁begin｜>`, `<｜DSML｜tool_calls>`), Llama (`<|python_tag|>`), gpt-oss
 * (`<|channel|>commentary to=`), Mistral (`[TOOL_CALLS]`).
 */
const OPENING = new RegExp(
  `(?:^|[\\n>])[ \\t]*(?:${[
    '<(?:[a-z]+:)?(?:tool_calls?|toolcall|function_calls?|tool_use)(?:\\s[^<>]{0,100})?>',
    '<(?:[a-z]+:)?(?:function=|invoke\\s+name=)',
    '<\\s?[|\uff5c\u2016]{1,2}\\s?(?:DSML|tool|python_tag|channel[|\uff5c]>\\s*commentary|start[|\uff5c]>\\s*functions)',
    '\\[TOOL_CALLS\\]',
  ].join('|')})`,
  'i',
)

/** The tool whose call the text ends with, or is. Undefined: it is no call. `offered`: names as the model knows them. */
export const writtenCall = (text: string, offered: readonly string[]): string | undefined => {
  if (offered.length === 0) return undefined
  const opening = OPENING.exec(text)
  if (!opening) return undefined
  const call = text.slice(opening.index)
  const named = offered.find((name) => new RegExp(`(?<![\\w-])${escaped(name)}(?![\\w-])`).test(call.slice(0, MAX_HEAD)))
  return named !== undefined && isLast(call) ? named : undefined
}

/** So far a call names its tool, in characters. */
const MAX_HEAD = 1000

// What stands behind its last end would be an answer; one without an end was cut, or its end was taken for that of the reply.
const isLast = (call: string): boolean => {
  const behind = /^[\s\S]*(?:<\/[^<>]{1,60}>|<\s?[|\uff5c\u2016][^<>]{0,60}end[^<>]{0,20}>)([\s\S]*)$/i.exec(call)?.[1]?.trim() ?? ''
  return behind === '' || behind.startsWith('<')
}

const escaped = (name: string): string => name.replaceAll(/[^\w]/g, '\\$&')
