// What other programs run, or believe, when they start: the one table (plumb-tools(7) shows it). Who may write it would run as the user at the
// user's next step. What is ordinary work of a programmer stays writable: package.json, Makefile, pyproject.toml, the files of a CI.

interface Trusted {
  /** Whose. */
  readonly what: string
  /** Files and folders, anywhere below a root, in small letters; of a folder, all that is in it. */
  readonly names: readonly string[]
}

const TRUSTED: readonly Trusted[] = [
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

const OWNERS = new Map(TRUSTED.flatMap(({ what, names }) => names.map((name) => [name, what] as const)))

/** Whose it is; undefined: nobody's. `.pth` files are lines that Python runs. */
export const trustedBy = (name: string): string | undefined => OWNERS.get(name) ?? (name.endsWith('.pth') ? 'Python' : undefined)

// File systems that ignore case may ignore these too, as that of macOS does.
const UNSEEN = /[\u200c-\u200f\u202a-\u202e\u2060-\u2064\u206a-\u206f\ufeff]/g

/** A name as a file system that is least exact may take it. */
export const foldName = (name: string): string => name.normalize('NFC').replace(UNSEEN, '').toLowerCase()
