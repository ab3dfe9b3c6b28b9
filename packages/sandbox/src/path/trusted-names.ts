// Files that other programs run or trust when they start (the table is in plumb-tools(7)): writing one of them means running code as the
// user. Ordinary files of a project stay writable: package.json, Makefile, pyproject.toml, CI configuration.

import { once } from '@plumb/wire/once'

interface Trusted {
  /** The programs that read them. */
  readonly what: string
  /** Names of files and directories anywhere below a root, in lower case; a directory stands for all its contents. */
  readonly names: readonly string[]
}

const trusted = (): readonly Trusted[] => [
  {
    what: 'shells and terminals',
    names: [
      ...['.profile', '.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.bash_aliases', '.zshrc', '.zshenv', '.zprofile'],
      ...['.zlogin', '.zlogout', '.kshrc', '.mkshrc', '.cshrc', '.tcshrc', '.login', '.logout', '.inputrc', '.tmux.conf', '.screenrc'],
      ...['.xinitrc', '.xprofile', '.xsession', '.xsessionrc', '.pam_environment', '.envrc', '.direnv', '.mise.toml', '.config'],
    ],
  },
  {
    what: 'editors',
    names: [
      ...['.vscode', '.devcontainer', '.devcontainer.json', '.idea', '.fleet', '.zed', '.vim', '.vimrc', '.gvimrc', '.exrc', '.nvim'],
      ...['.nvimrc', '.nvim.lua', '.lvimrc', '.emacs', '.emacs.d', '.dir-locals.el', '.dir-locals-2.el'],
    ],
  },
  {
    what: 'git',
    names: ['.git', '.gitconfig', '.gitmodules', '.gitattributes', '.githooks', '.husky', '.pre-commit-config.yaml', '.lefthook'],
  },
  {
    what: 'npm, yarn, pnpm and bun',
    names: ['.npmrc', '.yarnrc', '.yarnrc.yml', '.yarn', '.pnpmfile.cjs', '.pnpmfile.mjs', 'pnpmfile.js', 'bunfig.toml'],
  },
  {
    what: 'Python',
    names: [
      'pip.conf',
      '.pip',
      '.pypirc',
      '.pythonrc',
      '.pythonrc.py',
      '.pythonstartup',
      'sitecustomize.py',
      'usercustomize.py',
      'pyvenv.cfg',
    ],
  },
  {
    what: 'builds and debuggers',
    names: ['.cargo', '.mvn', '.bazelrc', '.gdbinit', '.gdbearlyinit', '.lldbinit', '.irbrc', '.pryrc', '.rprofile', '.ghci', '.ocamlinit'],
  },
  { what: 'ssh and what fetches', names: ['.ssh', '.curlrc', '.wgetrc', '.netrc', '.docker'] },
  {
    what: 'agents and MCP clients',
    names: [
      ...['.mcp.json', 'claude_desktop_config.json', '.claude', '.claude.json', '.cursor', '.codex', '.gemini', '.continue', '.windsurf'],
      ...['.codeium', '.roo', '.aider.conf.yml'],
    ],
  },
]

const owners = once(() => new Map(trusted().flatMap(({ what, names }) => names.map((name) => [name, what] as const))))

/** The programs that trust a file of this name, if any. Python runs lines of `.pth` files. */
export const trustedBy = (name: string): string | undefined => owners().get(name) ?? (name.endsWith('.pth') ? 'Python' : undefined)

// Characters that HFS+ of macOS ignores in names.
const UNSEEN = /[\u200c-\u200f\u202a-\u202e\u2060-\u2064\u206a-\u206f\ufeff]/g

/** Folds a name as the least exact file system compares it. */
export const foldName = (name: string): string => name.normalize('NFC').replace(UNSEEN, '').toLowerCase()
