// So many bare processes at once, each of which answers one line: many.cjs COUNT
'use strict'
const { spawn } = require('node:child_process')

for (let i = 0; i < Number(process.argv[2]); i++) {
  const child = spawn(process.execPath, [require.resolve('./echo.cjs')], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdout.on('data', (chunk) => process.stdout.write(chunk))
  child.stdin.end('"I feel sad today"\n')
}
