import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import zlib from "node:zlib";
import type { Plugin } from "vite";

const TEXT = /\.(html|js|css|svg|webmanifest)$/;
/** Below this the headers weigh more than what is saved. */
const MIN_BYTES = 512;

/** Writes `.br`, `.gz` and, where this Node has it, `.zst` beside every text file of the build, at the highest levels. */
export function compress(): Plugin {
  let folder = "";
  return {
    name: "compress",
    apply: "build",
    configResolved(config) {
      folder = path.resolve(config.root, config.build.outDir);
    },
    async closeBundle() {
      const files = await readdir(folder, { recursive: true });
      await Promise.all(files.filter((file) => TEXT.test(file)).map((file) => compressFile(path.join(folder, file))));
    },
  };
}

async function compressFile(file: string): Promise<void> {
  const bytes = await readFile(file);
  if (bytes.length < MIN_BYTES) return;
  const variants: Record<string, Buffer> = {
    ".gz": zlib.gzipSync(bytes, { level: 9 }),
    ".br": zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 11 } }),
  };
  const zstd = zstdCompress(bytes);
  if (zstd) variants[".zst"] = zstd;
  await Promise.all(Object.entries(variants).map(([suffix, content]) => writeFile(file + suffix, content)));
}

/** Node has zstd since 22.15 only. */
function zstdCompress(bytes: Buffer): Buffer | undefined {
  const { zstdCompressSync } = zlib as { zstdCompressSync?: (bytes: Buffer, options: object) => Buffer };
  const level = (zlib.constants as Record<string, number>)["ZSTD_c_compressionLevel"];
  return level === undefined ? undefined : zstdCompressSync?.(bytes, { params: { [level]: 19 } });
}
