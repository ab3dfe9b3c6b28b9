// long
// Built-in tools and what the machine does to them: disks that are full or read-only, devices, planted links, neighbours that look
// (faults 81 to 92). More of them stand beside plumb-tool.

import { spawnSync } from 'node:child_process'
import t from 'tap'
import { NO_SANDBOX } from '../../packages/wire/test/sandbox-here.js'
import { MACHINE, onSmallDisk } from './machine.js'
import { sceneTable } from './scene.js'

const call = (tool: string, input: object): string => `plumb-tool --docroot disk call ${tool} '${JSON.stringify(input)}'`
const codes = (...calls: readonly string[]): string => calls.map((one) => `${one} 2>&1 > /dev/null | pick _.error`).join('\n')
const patch = (...lines: string[]) => ({ patch: `*** Begin Patch\n${lines.join('\n')}\n*** End Patch` })
// Single quotes would end the word that holds the script.
const state = 'cat disk/f; ls -A disk'
const big = 'x'.repeat(20_000)

const WRITING = [
  call('write_file', { path: 'f', content: 'new' }),
  call('write_file', { path: 'd/new', content: 'new' }),
  call('append_to_file', { path: 'f', content: 'new' }),
  call('find_and_replace', { path: 'f', find: 'old', replace: 'new' }),
  call('make_directory', { path: 'd' }),
  call('delete_file', { path: 'f' }),
  call('apply_patch', patch('*** Update File: f', '@@', '-old', '+new')),
  call('apply_patch', patch('*** Update File: f', '@@', '-old', '+new', '*** Add File: g', '+x')),
]

const FULL = [
  call('write_file', { path: 'f', content: big }),
  call('append_to_file', { path: 'f', content: big }),
  call('find_and_replace', { path: 'f', find: 'old', replace: big }),
  call('apply_patch', patch('*** Update File: f', '@@', '-old', `+${big}`)),
  call('apply_patch', patch('*** Update File: f', '@@', '-old', '+new', '*** Add File: g', `+${big}`)),
]

const onDisk = (script: string): string => onSmallDisk('disk', '16k', `echo old > disk/f; ${script}`)

if (MACHINE.mounts) void t.test('fault 84: disks that are full or read-only', { skip: MACHINE.mounts }, async () => {})
else {
  sceneTable(
    'disks',
    { 'disk/.keep': '' },
    {
      'fault 84: a disk that is full': {
        run: onDisk(`${codes(...FULL)}\n${state}`),
        out: `${'write_failed\n'.repeat(FULL.length)}old\nf\n`,
      },
      'fault 84: a disk that may only be read': {
        run: onDisk(`mount -o remount,ro disk\n${codes(...WRITING)}\n${state}\nmount -o remount,rw disk`),
        out: `${'write_failed\n'.repeat(WRITING.length)}old\nf\n`,
      },
      'faults 84, 124: where a record goes: the run goes on, and the next one has a record again': {
        run: onDisk(`spec="let main : !int -> !int = id"
          echo 1 | plumb --record disk/rec -e "$spec" 2> err; echo $? $(pick _.error < err | sort -u)
          mount -o remount,size=1m disk; echo 2 | plumb --record disk/rec -e "$spec"; cat disk/rec/01-*`),
        out: '1\n1 write_failed\n2\n2\n',
      },
    },
  )
}

const UNTIDY = 'let   main : !int->!int =   id\n'
const isRoot = process.getuid?.() === 0
const hasDevices = isRoot && spawnSync('bash', ['-c', 'd=$(mktemp -d); mknod $d/z c 1 5; s=$?; rm -r $d; exit $s']).status === 0

sceneTable(
  'links and devices',
  { 'untidy.plumb': UNTIDY, victim: 'precious\n', 'disk/f': 'old\n' },
  {
    'fault 89: a link that waits where a temporary file would be': {
      run: `bash -c 'ln -s victim .plumb-$$.new; exec plumb fmt untidy.plumb'; echo $?; cat victim untidy.plumb; ls -A`,
      out: `1\nprecious\n${UNTIDY}disk\nuntidy.plumb\nvictim\n`,
      errors: [{ error: 'write_failed', detail: /EEXIST/ }],
      status: 0,
    },
    'fault 89: whatever the umask, and the disk of temporary files': {
      run: `umask 000; ${call('write_file', { path: 'new', content: 'x' })} > /dev/null; stat -c %a disk/new; echo 1 | TMPDIR=/nowhere plumb --max-calls 3 -e 'let main : !int -> !int = id'`,
      out: '666\n',
      errors: [{ error: 'write_failed', detail: /no file for the budget can be made/ }],
    },
    ...(hasDevices
      ? {
          'fault 81: devices': {
            run: `mknod disk/zero c 1 5; mknod disk/null c 1 3\n${codes(
              call('read_file', { path: 'zero' }),
              call('append_to_file', { path: 'null', content: 'x' }),
              call('write_file', { path: 'null', content: 'x' }),
              call('find_and_replace', { path: 'zero', find: 'x', replace: 'y' }),
              call('import_image', { path: 'zero' }),
            )}\n${call('grep', { pattern: 'x' })}\nstat -c %F disk/zero disk/null`,
            out: `${'path_denied\n'.repeat(5)}""\ncharacter special file\ncharacter special file\n`,
          },
        }
      : {}),
  },
)

const PLUMB = 'let main : !string -> !string = agent { provider: "eliza", model: "doctor" }'

sceneTable(
  'records of runs that were killed in the middle',
  { 'a.plumb': `${PLUMB}\n` },
  {
    'fault 84: before the record said what it is': {
      run: `mkdir rec; printf '{' > rec/run.json.new; plumb --record rec a.plumb; ls rec | tr '\\n' ' '`,
      in: '"I am sad"\n',
      out: '"I AM SORRY TO HEAR YOU ARE SAD"\n01-input-main.jsonl 02-main-output.jsonl answers.jsonl events.jsonl kept-answers run.json trace.json ',
    },
    'fault 84: before there was an answer': {
      run: 'plumb --record rec a.plumb < /dev/null; rm rec/answers.jsonl; plumb --resume rec a.plumb; grep -c SORRY rec/answers.jsonl',
      in: '"I am sad"\n',
      out: /SORRY.*\n[12]\n$/,
    },
    'fault 84: answers that cannot be written': {
      run: 'plumb --record rec a.plumb < /dev/null; rm rec/answers.jsonl; mkdir rec/answers.jsonl; plumb --resume rec a.plumb',
      in: '"I am sad"\n',
      errors: [{ error: 'write_failed', detail: /EISDIR/ }],
      status: 1,
    },
    'fault 42: a server in a directory that has been removed': {
      run: 'mkdir gone; cd gone; rmdir ../gone; plumb-mcp 2> >(grep ^{ >&2)',
      errors: [{ error: 'file_not_found', detail: /which is not a directory/ }],
      status: 2,
    },
  },
)

const LOOK = `#!/bin/bash
cat /proc/[0-9]*/environ 2> /dev/null | tr '\\0' '\\n' | grep -c CANARY
true
`

if (!NO_SANDBOX) {
  sceneTable(
    'neighbours',
    { 'look.plumb': 'let look : { arguments?: [string] } -> string = tool { command: "./look", sandbox: {} }\n', look: LOOK },
    {
      'fault 92: what is in a sandbox sees no other environment': {
        run: `plumb-tool look.plumb call look '{}'`,
        out: '"0\\n"\n',
      },
    },
  )
} else void t.test('fault 92: neighbours', { skip: NO_SANDBOX }, async () => {})
