// A first version of an agent with a tool by hand: fetch asks, a function of the program is the tool, fetch asks again. tool-loop.cjs URL
'use strict'

const headers = { 'content-type': 'application/json', 'x-api-key': 'none', 'anthropic-version': '2023-06-01' }
const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
const tools = [{ name: 'double', description: 'Doubles a number.', input_schema: schema }]
const double = ({ n }) => ({ n: n * 2 })

const ask = async (messages) => {
  const body = JSON.stringify({ model: 'stub', max_tokens: 8192, stream: true, system: 'Be brief.', tools, messages })
  const response = await fetch(`${process.argv[2]}/v1/messages`, { method: 'POST', headers, body })
  if (!response.ok) throw new Error(`status ${response.status}`)
  const content = []
  for (const line of (await response.text()).split('\n')) {
    if (!line.startsWith('data: ')) continue
    const { type, content_block: block, delta } = JSON.parse(line.slice(6))
    if (type === 'content_block_start') content.push({ ...block, json: '' })
    if (type !== 'content_block_delta') continue
    if (delta.type === 'text_delta') content.at(-1).text += delta.text
    else content.at(-1).json += delta.partial_json
  }
  return content.map(({ json, ...block }) => (block.type === 'tool_use' ? { ...block, input: JSON.parse(json) } : block))
}

const answerTo = async (line) => {
  const messages = [{ role: 'user', content: JSON.parse(line) }]
  for (;;) {
    const content = await ask(messages)
    const calls = content.filter(({ type }) => type === 'tool_use')
    if (calls.length === 0) return content.map(({ text }) => text).join('')
    const result = ({ id, input }) => ({ type: 'tool_result', tool_use_id: id, content: JSON.stringify(double(input)) })
    messages.push({ role: 'assistant', content }, { role: 'user', content: calls.map(result) })
  }
}

const main = async () => {
  let rest = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()
    for (const line of lines) process.stdout.write(`${JSON.stringify(await answerTo(line))}\n`)
  }
}

main()
