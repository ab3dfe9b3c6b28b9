// A first version of an agent by hand: each line is a question, fetch asks, the text of the events is the answer. fetch-loop.cjs URL [TIMES [LINES]]
//
// Each question is asked TIMES at once, and more than once gives a list of answers; so many LINES are with the model at once, and answers keep
// their order.
'use strict'

const headers = { 'content-type': 'application/json', 'x-api-key': 'none', 'anthropic-version': '2023-06-01' }

const ask = async (question) => {
  const messages = [{ role: 'user', content: question }]
  const body = JSON.stringify({ model: 'stub', max_tokens: 8192, stream: true, system: 'Be brief.', messages })
  const response = await fetch(`${process.argv[2]}/v1/messages`, { method: 'POST', headers, body })
  if (!response.ok) throw new Error(`status ${response.status}`)
  let answer = ''
  for (const line of (await response.text()).split('\n')) {
    if (!line.startsWith('data: ')) continue
    const { type, delta } = JSON.parse(line.slice(6))
    if (type === 'content_block_delta') answer += delta.text
  }
  return answer
}

const [times, atOnce] = [Number(process.argv[3] ?? 1), Number(process.argv[4] ?? 1)]

const answerTo = async (line) => {
  const answers = await Promise.all(Array.from({ length: times }, () => ask(JSON.parse(line))))
  return `${JSON.stringify(times === 1 ? answers[0] : answers)}\n`
}

const main = async () => {
  const asked = []
  const writeFirst = async () => process.stdout.write(await asked.shift())
  let rest = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()
    for (const line of lines) {
      asked.push(answerTo(line))
      if (asked.length === atOnce) await writeFirst()
    }
  }
  while (asked.length > 0) await writeFirst()
}

main()
