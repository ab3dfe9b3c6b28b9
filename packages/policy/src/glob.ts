// Patterns of a policy: `*` for any characters, in paths those of one name, and `**` for any number of names.

const compiled = new Map<string, RegExp>()

/** Tools and hosts. */
export const matchesName = (pattern: string, name: string): boolean =>
  expressionOf(`name ${pattern}`, () => `^${escape(pattern).replaceAll('\\*', '.*')}$`).test(name)

/** One that begins with a slash means that path, any other one means it at any depth; a folder means what is in it too. */
export const matchesPath = (pattern: string, path: string): boolean =>
  expressionOf(`path ${pattern}`, () => {
    const names = escape(pattern.replace(/\/+$/, ''))
      .replaceAll('/\\*\\*/', '/(?:.*/)?')
      .replaceAll('\\*\\*', '.*')
      .replaceAll('\\*', '[^/]*')
      .replaceAll('\\?', '[^/]')
    return `${pattern.startsWith('/') ? '^' : '(?:^|/)'}${names}(?:/.*)?$`
  }).test(path)

// The patterns of a policy, so there are few.
const expressionOf = (key: string, write: () => string): RegExp => {
  const known = compiled.get(key)
  if (known) return known
  const expression = new RegExp(write(), 'su')
  compiled.set(key, expression)
  return expression
}

const escape = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
