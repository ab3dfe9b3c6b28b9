// A model on loopback that has the same to say each time, all of it at once. model.cjs MS: it takes so long to answer.
'use strict'
const { serveModel, textAnswer } = require('../../stub-model.cjs')

const ANSWER = textAnswer('first', ' and', ' last')
const DELAY_MS = Number(process.argv[2] ?? 0)

serveModel((request, response) => {
  const answer = () => response.end(ANSWER)
  request.resume().on('end', () => (DELAY_MS === 0 ? answer() : setTimeout(answer, DELAY_MS)))
})
