// Descriptors of the process that started an executable: none reaches a child of any kind, at whatever number and behind whatever gap.

import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { probeBubblewrap } from '../../sandbox/src/plan/probe.js'
import { asEach } from './as-each-user.js'

const box = probeBubblewrap()
const kinds = box.ok ? ['', ', sandbox: false'] : [', sandbox: false']

/** Prints what a process has of them: by their names, and those without one by their numbers. */
const LOOK = "ls -l /proc/self/fd | grep -c 'mark\\| 20[0-9] -> \\| 1500 -> '"
const NONE = '0'

const files = (keys: string) => ({
  's.plumb': `let sh : { arguments?: [string] } -> string = tool { command: "/bin/sh -c"${keys} }
let f : json -> string = tool { function: "./f.mjs"${keys} }
let server = { command: "/bin/sh", args: ["server.sh"]${keys === '' ? '' : ', sandbox: false'} }
let asked : json -> string = tool { mcp: server, name: "look" }
let a : !string -> !string = agent { command: ["/bin/sh", "a.sh"]${keys} }
let agents : !string -> !string = a\n`,
  look: LOOK,
  'a.sh': `while read -r line; do echo "\\"$(sh look)\\""; done\n`,
  'server.sh': `while read -r line; do
  id=$(echo "$line" | sed -n 's/.*"id":\\([0-9]*\\).*/\\1/p')
  case $line in
  *initialize\\"*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
  *tools/list*) result='{"tools":[{"name":"look","inputSchema":{"type":"object"}}]}' ;;
  *) result="{\\"content\\":[{\\"type\\":\\"text\\",\\"text\\":\\"$(sh look)\\"}]}" ;;
  esac
  [ -z "$id" ] || echo "{\\"jsonrpc\\":\\"2.0\\",\\"id\\":$id,\\"result\\":$result}"
done\n`,
  'f.mjs': `import { readdirSync, readlinkSync } from 'node:fs'
const target = (fd) => { try { return readlinkSync('/proc/self/fd/' + fd) } catch { return '' } }
export default () => String(readdirSync('/proc/self/fd').filter((fd) => target(fd).includes('mark') || /^(20\\d|1500)$/.test(fd)).length)\n`,
  'whole.plumb': `let who : { arguments?: [string] } -> string = tool { command: "/bin/sh who.sh", sandbox: false }
let bot : !string -> !string = agent { provider: "eliza", model: "doctor" }
let main : !string -> !string = bot ; map({}) ; map(who)\n`,
  // How many of our processes have one: that which was started with them alone, as Node keeps those up to 16 for itself.
  'who.sh': `for p in /proc/[0-9]*; do ls -l $p/fd 2>/dev/null | grep -q "$PWD/mark" && cat $p/comm; done | grep -c node\n`,
  'look.sh': `exec 2>&1; ${LOOK}\n`,
})

const lay = (directory: string): void => {
  mkdirSync(join(directory, 'mark/in'), { recursive: true })
  writeFileSync(join(directory, 'mark/key'), 'KEY')
  for (const name of ['mark', 'mark/key']) chmodSync(join(directory, name), 0o777)
}

t.test('what was left open reaches no child', async (t) => {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as { port: number }
  // A directory, a file that is read and one that is appended to, a FIFO, a socket, a pipe, and all numbers up to 20 without a gap.
  const held = `ulimit -n 4096; mkfifo mark/fifo
for fd in 8 9 10 11 12 13 14 15 16 17 18 19 20; do eval "exec $fd<mark/key"; done
exec 30<mark 200<mark/in 201<mark/key 202>>mark/key 203<>mark/fifo 204<>/dev/tcp/127.0.0.1/${port} 205< <(sleep 5) 1500<mark`
  const call = (name: string, input: string): string => `echo "${name}: $(plumb-tool -r s.plumb call ${name} '${input}' 2>&1)"`
  const run = `${held}
${call('sh', '{"arguments":["sh look; true"]}')}
${call('f', '{}')}
${call('asked', '{}')}
echo "agent: $(echo '"x"' | plumb s.plumb --binding agents 2>&1)"
echo "mux: $(plumb-mux -- sh look.sh 2>&1 </dev/null | head -c 40)"
echo "all: $(echo '"x"' | plumb -r whole.plumb 2>&1 | tr '\\n' ' ')"
echo "chat: $(echo x | plumb-chat whole.plumb 2>&1 | tr '\\n' ' ')"
echo "mcp: $(printf '%s\\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}' '{"jsonrpc":"2.0","method":"notifications/initialized"}' '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"who","arguments":{}}}' | plumb-mcp --grant exec whole.plumb 2>&1 | tail -1)"`
  for (const keys of kinds) {
    for (const { user, out, err } of await asEach(run, files(keys), lay)) {
      const found = new Map(out.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]))
      const what = `${user}${keys}: ${out}${err}`
      for (const kind of ['sh', 'f', 'asked']) t.equal(found.get(kind), NONE, `${kind}, ${what}`)
      t.equal(found.get('agent'), `"${NONE}"`, what)
      t.equal(found.get('mux'), '{"__port":"output","msg":0}', what)
      t.match(found.get('all'), /^1 /, what)
      t.match(found.get('chat'), /^1 /, what)
      t.match(found.get('mcp'), /"text":"1\\n"/, what)
    }
  }
  server.close()
})
