import svelte from "eslint-plugin-svelte";
import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";
import svelteConfig from "./svelte.config.js";

export default defineConfig(
  { ignores: ["dist", "pkg", "bindgen", "*.config.js", "test-results"] },
  tseslint.configs.strictTypeChecked,
  svelte.configs["flat/recommended"],
  {
    languageOptions: {
      parserOptions: { projectService: true, extraFileExtensions: [".svelte"] },
    },
  },
  { files: ["**/*.svelte", "**/*.svelte.ts"], languageOptions: { parserOptions: { parser: tseslint.parser, svelteConfig } } },
  {
    rules: {
      // Typed arrays and rows are read by index: the compiler makes each such value optional, and the loops bound it.
      "@typescript-eslint/no-non-null-assertion": "off",
      // Numbers stand in texts as they are.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      // `void work()` says that nobody waits; a handler may return what it calls.
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      // What a frame draws is worked out anew in each frame, and is no state of the page.
      "svelte/prefer-svelte-reactivity": "off",
    },
  },
);
