// One number a line, doubled: the process behind a tool.
'use strict'
process.stdin.on('data', (chunk) => {
  for (const line of chunk.toString().split('\n'))
    if (line !== '') process.stdout.write(`${JSON.stringify({ n: JSON.parse(line).n * 2 })}\n`)
})
