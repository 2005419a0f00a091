import { defineConfig } from "vite";
import { notices } from "./notices";

/** Names without hashes, and three in a separate chunk: a change of ours does not change its bytes in the repository. */
export default defineConfig({
  base: "./",
  plugins: [notices()],
  build: {
    outDir: "../src/manikin/studio/static",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        entryFileNames: "assets/[name].js",
        chunkFileNames: "assets/[name].js",
        assetFileNames: "assets/[name][extname]",
        codeSplitting: { groups: [{ name: "three", test: /node_modules[\\/]three[\\/](build|src)/ }] },
      },
    },
  },
});
