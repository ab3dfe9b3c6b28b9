// A model on loopback with long answers, which says when it is asked, a line for each request. long-model.cjs MS CHARACTERS
'use strict'
const { serveModel, textAnswer } = require('../../stub-model.cjs')

const [DELAY_MS, CHARACTERS] = [Number(process.argv[2]), Number(process.argv[3])]
const WORDS = 'the quick brown fox "jumps"\nover a näher river '
const ANSWER = textAnswer(WORDS.repeat(Math.ceil(CHARACTERS / WORDS.length)).slice(0, CHARACTERS))

serveModel((request, response) => {
  request.resume().on('end', () => {
    process.stdout.write('asked\n')
    setTimeout(() => response.end(ANSWER), DELAY_MS)
  })
})
