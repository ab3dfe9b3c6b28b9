// The shortest program that shows what a model says as it says it: first-token.cjs URL
'use strict'

const headers = { 'content-type': 'application/json', 'x-api-key': 'none' }
fetch(`${process.argv[2]}/v1/messages`, { method: 'POST', headers, body: '{"stream":true}' }).then(async ({ body }) => {
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) process.stdout.write(chunk)
})
