import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const RUNTIMES = ['onnxruntime-node', 'onnxruntime-web'];

/** Why a folder has no model that can be used; undefined if it has one. */
export function folderFault(folder: string, directory: string): string | undefined {
  const path = resolve(directory, folder);
  const fix = 'a folder has model.onnx, or onnx/model.onnx, and tokenizer.json';
  if (modelIn(folder, directory) === undefined) return `${path} has no model.onnx; ${fix}`;
  return existsSync(join(path, 'tokenizer.json')) ? undefined : `${path} has no tokenizer.json; ${fix}`;
}

export function runtimeFault(directory: string): string | undefined {
  if (runtimeFor(directory) !== undefined) return undefined;
  const fix = `npm install --prefix ${directory} onnxruntime-node`;
  return `a local model needs ${RUNTIMES.join(' or ')}, of which none is installed; install one: ${fix}`;
}

export function modelIn(folder: string, directory: string): string | undefined {
  const paths = ['model.onnx', 'onnx/model.onnx'].map((name) => resolve(directory, folder, name));
  return paths.find((path) => existsSync(path));
}

/** File URL of a package of the configuration directory, else beside Pegboard. */
export function runtimeFor(directory: string): string | undefined {
  for (const parent of [join(directory, 'config.yaml'), import.meta.url])
    for (const name of RUNTIMES)
      try {
        return pathToFileURL(createRequire(parent).resolve(name)).href;
      } catch {
        // The next place may have it.
      }
  return undefined;
}
