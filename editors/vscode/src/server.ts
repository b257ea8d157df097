// The command that starts the language server, from the settings. It knows nothing of the editor, so that it can be tested alone.

export interface ServerSettings {
  path: string;
  log: string;
  node: string | null;
}

export interface ServerCommand {
  command: string;
  args: string[];
}

export function serverCommand(settings: ServerSettings): ServerCommand {
  const args = ["lsp"];
  if (settings.node) {
    args.push("--node", settings.node);
  }
  if (settings.log) {
    args.push("--log", settings.log);
  }
  return { command: settings.path || "kukla", args };
}

/** The number of nodes that a difference of the fleet changes, in words. */
export function summary(difference: { counts: Record<string, number> }): string {
  const { changed = 0, breaks = 0, nodes = 0 } = difference.counts;
  if (changed === 0 && breaks === 0) {
    return `The unsaved changes affect none of ${nodes} nodes.`;
  }
  const broken = breaks > 0 ? `, and ${breaks} no longer compile` : "";
  return `The unsaved changes affect ${changed} of ${nodes} nodes${broken}.`;
}
