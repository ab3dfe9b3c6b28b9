// Agents that run elsewhere: behind a shell of another place as with ssh, or behind a program that starts them as with docker.

import { lines, makeShell } from './shell.js'

const TOOL = `
type N = { n: int }
@tool true
let double : N -> N = map({ n: n * 2 })
`

const remote = (via: readonly string[], more = '') =>
  `${TOOL}let main : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [double], via: ${JSON.stringify(via)}${more} }\n`
const program = (via: readonly string[], command: readonly string[], more = '') =>
  `${TOOL}let main : !json -> !json = agent { command: ${JSON.stringify(command)}, via: ${JSON.stringify(via)}${more} }\n`

// The other place: another directory, and nothing of the environment but where programs are.
const THERE = 'mkdir -p there; cd there && exec env -i PATH="$PATH" LANG=C.UTF-8'
const SSH = ['./ssh', 'host']
const DOCKER = ['./docker', 'exec', '-i', 'box']

const { table } = makeShell({
  ssh: `#!/bin/sh\nshift\n${THERE} sh -c "$*"\n`,
  docker: `#!/bin/sh\nshift 3\n${THERE} "$@"\n`,
  spy: '#!/bin/bash\nprintf "%s\\n" "$*" > argv; tee sent | ./ssh "$@"\n',
  chatty: '#!/bin/sh\necho "Welcome to this host"\nexec ./ssh "$@"\n',
  dying: `#!/bin/sh\nread -r spec; read -r input; echo 'host unreachable' >&2; exit 255\n`,
  'there/agent': `#!/bin/bash
read -r said <&6; echo "{\\"heard\\":$said}" >&7
while IFS= read -r line; do
  echo "{\\"id\\":\\"1\\",\\"name\\":\\"double\\",\\"input\\":{\\"n\\":$line}}" >&4; read -r answer <&5
  pick '[...process.argv.slice(3), JSON.parse(_.content).n]' "$@" <<< "$answer"
done
`,
  'there/slow': '#!/bin/bash\necho $$ > ../pid\nwhile read -r line; do sleep 1; echo "$line"; done\n',
  'there/torn': `#!/bin/bash\nwhile read -r n; do case $n in 2) echo '{{2' ;; 3) printf '"\\377"\\n' ;; *) echo "$n" ;; esac; done\n`,
  'tone.md': 'Speak of ships.\n',
  'ssh.plumb': remote(SSH, ', grant: ["net"]'),
  'docker.plumb': remote(DOCKER),
  'spy.plumb': remote(['./spy', 'host'], ', prompts: ["./tone.md"]'),
  'nested.plumb': `${remote(SSH).replace('let main', 'let far')}let inner : !string -> !string = plumb(a, b) { a ; far ; b }\nlet main : !string -> !string = inner\n`,
  'chatty.plumb': remote(['./chatty', 'host']),
  'dying.plumb': remote(['./dying']),
  'missing.plumb': remote(['./missing']),
  'odd.plumb':
    program(SSH, ['./agent', "it's", '$HOME', ''], ', tools: [double]').replace(
      'let main : !json -> !json',
      'let bot : (!json, !json) -> (!json, !json)',
    ) +
    `let main : (!json, !json) -> (!json, !json) = plumb(input, said, output, heard) {
  spawn bot(input=input, ctrl_in=said, output=output, ctrl_out=heard)
}\n`,
  'shell.plumb': program(['sh', '-c'], ['pick', 'JSON.stringify(_ + "! $x")'], ''),
  'slow.plumb': program(SSH, ['./slow']),
  'torn.plumb': program(SSH, ['./torn']),
  'torn-numbered.plumb': program(SSH, ['./torn'], ', answers: "numbered"'),
})

const SAID = lines('I feel sad', 'call double {"n":21}')
const ANSWERED = '"TELL ME MORE ABOUT SUCH FEELINGS"\n"{\\"n\\":42}"\n'
const until = (condition: string) => `until ${condition}; do sleep 0.02; done`

table('an agent of ours elsewhere', {
  'behind a shell': { run: 'ssh', in: SAID, out: ANSWERED },
  'behind a program that starts it': { run: 'docker', in: SAID, out: ANSWERED },
  'in a nested plumb': { run: 'nested', in: SAID, out: ANSWERED },
  'gets its spec, options and grant in the first envelope, and no words of its own': {
    run: `OPENAI_API_KEY=sk-canary plumb --grant fs.read,net --model 'doctor' spy.plumb > /dev/null; cat argv; ! grep -q sk-canary sent
      head -n 1 sent | pick '[_.__port, _.msg.entry, Object.keys(_.msg.files).sort(), _.msg.args.slice(0, 2), _.msg.args.slice(-2), _.msg.authority.grant, _.msg.authority.expires > 0]'`,
    in: SAID,
    out: lines([
      'spec',
      'spy.plumb',
      ['spy.plumb', 'tone.md'],
      ['--agent', 'main'],
      ['--model', 'doctor'],
      ['fs.read', 'net'],
      true,
    ]).replace(/^/, 'host plumb-agent --mux --spec-envelope\n'),
  },
  'behind one that has more to say': {
    run: 'chatty',
    in: SAID,
    out: ANSWERED,
    errors: [{ error: 'invalid_json', process: 'main', text: 'Welcome to this host' }],
  },
  'that cannot be reached': {
    run: 'dying',
    in: SAID,
    errors: [
      { source: 'main', text: 'host unreachable' },
      { error: 'child_failed', process: 'main', status: 255, seq: 1 },
    ],
  },
  'by a program that is not there': { run: 'missing', in: SAID, errors: [{ error: 'file_not_found', process: 'main' }], status: 2 },
})

table('another program elsewhere', {
  'has its ports on real descriptors, and its words as they are': {
    run: 'plumb odd.plumb | sort',
    in: lines({ __port: 'said', msg: { stop: 1 } }, { __port: 'input', msg: 4 }),
    out: lines({ __port: 'heard', msg: { heard: { stop: 1 } } }, { __port: 'output', msg: ["it's", '$HOME', '', 8] }),
  },
  'behind the option of a shell that takes one word': { run: 'shell', in: lines('x'), out: lines('x! $x') },
  'fails the input to which it writes what is not JSON, and no other gets the answer of the next': {
    run: 'plumb --seq torn.plumb',
    in: lines(1, 2, 3, 4, 5),
    out: lines({ seq: 1, value: 1 }, { seq: 4, value: 4 }, { seq: 5, value: 5 }),
    errors: [
      { error: 'invalid_json', process: 'main', text: '{{2', seq: 2 },
      { error: 'invalid_utf8', process: 'main', seq: 3 },
    ],
  },
  'is broken off where a numbered line of it cannot be read': {
    run: 'torn-numbered',
    in: lines(2, 3),
    errors: [
      { error: 'child_failed', process: 'main', text: '{{2', seq: undefined },
      { error: 'child_failed', process: 'main', seq: 1 },
      { error: 'child_failed', process: 'main', seq: 2 },
    ],
  },
  'ends when we are killed': {
    run: `plumb slow.plumb < <(echo 1; ${until('[ -e done ]')}) & ${until('[ -s pid ]')}; kill -9 $!; wait $! 2>&-; echo $?; ${until('! kill -0 $(cat pid) 2>&-')}; echo > done`,
    out: '137\n',
  },
})
