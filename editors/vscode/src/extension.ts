import * as vscode from "vscode";
import { ExecuteCommandRequest, LanguageClient, type LanguageClientOptions } from "vscode-languageclient/node";
import { serverCommand, summary } from "./server.js";

let client: LanguageClient | undefined;

function settings() {
  const own = vscode.workspace.getConfiguration("kukla");
  return { path: own.get("path", "kukla"), log: own.get("log", ""), node: own.get<string | null>("node", null) };
}

async function start(): Promise<void> {
  const { command, args } = serverCommand(settings());
  const options: LanguageClientOptions = {
    documentSelector: [
      { language: "puppet" },
      { language: "epp" },
      { pattern: "**/*.{pp,epp,erb}" },
      { pattern: "**/{hiera,data/**/*,hieradata/**/*}.{yaml,yml,eyaml,json}" },
    ],
    initializationOptions: vscode.workspace.getConfiguration("kukla"),
    synchronize: { configurationSection: "kukla" },
    middleware: {
      // The lens "What does this change do?" runs the server's command.
      executeCommand: async (command, args, next) => {
        const result = await next(command, args);
        if (command === "kukla.diff" && result) {
          void vscode.window.showInformationMessage(summary(result));
        }
        return result;
      },
    },
  };
  client = new LanguageClient("kukla", "Kukla", { command, args }, options);
  try {
    await client.start();
  } catch (error) {
    void vscode.window.showErrorMessage(`Kukla cannot start: ${error}. Set "kukla.path" to the command.`);
  }
}

async function run<T>(command: string, argument: object): Promise<T | undefined> {
  try {
    return await client?.sendRequest(ExecuteCommandRequest.type, { command, arguments: [argument] });
  } catch (error) {
    void vscode.window.showErrorMessage(`Kukla: ${error instanceof Error ? error.message : error}`);
    return undefined;
  }
}

async function show(content: string, language: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ content, language });
  await vscode.window.showTextDocument(document, { preview: true, viewColumn: vscode.ViewColumn.Beside });
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const on = (name: string, run: (...args: any[]) => unknown) =>
    context.subscriptions.push(vscode.commands.registerCommand(name, run));
  on("kukla.chooseNode", async () => {
    const node = await vscode.window.showInputBox({ prompt: "Name of the node", value: settings().node ?? "" });
    if (node !== undefined) {
      await vscode.workspace.getConfiguration("kukla").update("node", node || null, vscode.ConfigurationTarget.Workspace);
    }
  });
  on("kukla.showCatalog", async () => {
    const found = await run<{ catalog: object }>("kukla.compile", {});
    if (found) {
      await show(JSON.stringify(found.catalog, null, 2), "json");
    }
  });
  on("kukla.showGraph", async () => {
    const found = await run<{ node: string; svg: string }>("kukla.preview", {});
    if (found) {
      const panel = vscode.window.createWebviewPanel("kukla.graph", `Catalog of ${found.node}`, vscode.ViewColumn.Beside, {});
      panel.webview.html = found.svg;
    }
  });
  on("kukla.showDifference", async () => {
    const found = await run<{ counts: Record<string, number> }>("kukla.diff", {});
    if (found) {
      const choice = await vscode.window.showInformationMessage(summary(found), "Details");
      if (choice) {
        await show(JSON.stringify(found, null, 2), "json");
      }
    }
  });
  on("kukla.showReferences", (uri: string, position: any, locations: any[]) => {
    const protocol = client?.protocol2CodeConverter;
    if (protocol) {
      void vscode.commands.executeCommand(
        "editor.action.showReferences",
        vscode.Uri.parse(uri),
        protocol.asPosition(position),
        locations.map(protocol.asLocation),
      );
    }
  });
  on("kukla.restart", async () => {
    await client?.stop();
    await start();
  });
  await start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}
