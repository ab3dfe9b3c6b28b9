// A model on loopback that calls the tool `double` for each question and then answers how many milliseconds passed from its call to the result.
// tool-model.cjs MS: it takes so long to ask for the call.
'use strict'
const { bodyOf, callAnswer, serveModel, textAnswer } = require('../../stub-model.cjs')

const DELAY_MS = Number(process.argv[2] ?? 0)

let calls = 0
const asked = new Map()
serveModel(async (request, response) => {
  const [, result] = /"tool_result","tool_use_id":"(\w+)"|$/.exec(await bodyOf(request))
  if (result !== undefined) return response.end(textAnswer(String(performance.now() - asked.get(result))))
  const id = `toolu_${++calls}`
  const answer = () => {
    asked.set(id, performance.now())
    response.end(callAnswer(id, 'double', { n: 21 }))
  }
  if (DELAY_MS === 0) answer()
  else setTimeout(answer, DELAY_MS)
})
