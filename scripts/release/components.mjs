// The packages that THIRD-PARTY-NOTICES name, and the Node of the one file, as components of CycloneDX.

/** Each once, in the order of their names. */
export const componentsIn = (notices) => {
  const found = new Map()
  for (const text of notices)
    for (const [, name, version, licence] of text.matchAll(/^-{78}\n\n((?:@[^/\s]+\/)?\S+) (\S+), (.*)$/gm))
      found.set(`pkg:npm/${name.replace('@', '%40')}@${version}`, { name, version, licence })
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(componentOf)
}

/** Scanners of vulnerabilities know Node by its CPE. */
export const nodeComponent = (name, version) => ({
  ...componentOf([`pkg:npm/${name}@${version}`, { name, version, licence: 'MIT' }]),
  type: 'platform',
  cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
})

const componentOf = ([purl, { name, version, licence }]) => ({
  type: 'library',
  'bom-ref': purl,
  name,
  version,
  licenses: /[ ()]/.test(licence) ? [{ expression: licence }] : [{ license: { id: licence } }],
  purl,
})
