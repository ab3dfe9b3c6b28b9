// Inside a sandbox: opens the socket that its programs take for a proxy, hands it to the process outside, which answers there, and ends
// once that has taken it.
'use strict'

const server = require('node:net').createServer()
server.listen(Number(process.argv[1]), '127.0.0.1', () => process.send('listening', server))
process.on('disconnect', () => process.exit())
