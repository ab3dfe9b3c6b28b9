// A built checkout, and the environment in which its executables are measured.

import { existsSync, readdirSync } from 'node:fs'

/** { label, root, bin(name), env }. Throws when the directory is not a built checkout. */
export const openCheckout = (label, root) => {
  const bin = (name) => `${root}/packages/${name}/bin/${name}`
  for (const name of ['plumb', 'plumb-agent', 'plumb-mux', 'plumb-tool'])
    if (!existsSync(bin(name)) || !existsSync(`${root}/packages/${name}/dist/main.cjs`))
      throw new Error(`'${root}' is not a built checkout, it has no ${name}: run 'npm run build' there`)
  return { label, root, bin, env: { ...cleanEnvironment(), PATH: `${directories(root).join(':')}:${process.env.PATH}` } }
}

const directories = (root) =>
  readdirSync(`${root}/packages`)
    .map((name) => `${root}/packages/${name}/bin`)
    .filter((bin) => existsSync(bin))

// Without NODE_EXTRA_CA_CERTS, which costs Node 20 time at every start, and without keys and settings of the person who measures.
const cleanEnvironment = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(NODE_|PLUMB_|PIPELINE_|OTEL_|.*_API_KEY$)/.test(name)))
