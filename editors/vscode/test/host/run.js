'use strict';

/**
 * Runs suite.js in a real extension host: that of code-server, with its page in a
 * Chromium that nobody sees. `make editors-host` fetches code-server and runs this; with
 * the name of a picture, it takes one in place of the tests.
 *
 *   CODE_SERVER=../../bench/host/node_modules/code-server node test/host/run.js [screenshot.png]
 */

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { createRequire } = require('node:module');

const { CODE_SERVER, CHROMIUM = '/usr/bin/chromium', PORT = '18320' } = process.env;
const extension = path.join(__dirname, '../..');
const repository = path.join(extension, '../..');
const program = process.env.QUARRY_PROGRAM ?? path.join(repository, 'bin/quarry');
const address = `127.0.0.1:${PORT}`;

async function main(picture) {
  if (!CODE_SERVER) throw new Error('CODE_SERVER is not set: make editors-host sets it');
  const { chromium } = createRequire(path.join(path.resolve(CODE_SERVER), 'package.json'))('playwright-core');
  const home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-host-')));
  const shop = process.env.SHOP ?? path.join(home, 'shop');
  fs.cpSync(path.join(repository, 'docs/example'), shop, { recursive: true });
  fs.mkdirSync(path.join(home, 'user/User'), { recursive: true });
  const data = ['--data-dir', path.join(home, 'data')];
  fs.writeFileSync(path.join(home, 'user/User/settings.json'), JSON.stringify({
    'quarry.path': program, 'quarry.args': [...data, '--port', '0', '--idle-timeout', '10m'],
    'security.workspace.trust.enabled': false, 'workbench.startupEditor': 'none',
    'workbench.colorTheme': 'Default Light Modern', 'editor.minimap.enabled': false, 'window.commandCenter': false,
    'remote.autoForwardPorts': false, 'editor.stickyScroll.enabled': false,
  }));
  const server = spawn(process.execPath, [
    path.join(CODE_SERVER, 'out/node/entry.js'), '--auth', 'none', '--bind-addr', address,
    '--config', path.join(home, 'config.yaml'), '--user-data-dir', path.join(home, 'user'),
    '--extensions-dir', path.join(home, 'extensions'), '--disable-telemetry', '--disable-update-check',
  ], { stdio: 'ignore' });
  let browser;
  try {
    await listening();
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
    const page = await browser.newPage({ viewport: { width: 1100, height: 620 } });
    // The extension host's console arrives with marks for colours before the text.
    page.on('console', (m) => {
      const said = /host: .*/s.exec(m.text());
      if (said) console.log(said[0]);
    });
    const exit = new Promise((done) => page.exposeFunction('codeAutomationExit', done));
    const remote = (file) => `vscode-remote://${address}${file}`;
    const payload = JSON.stringify([
      ['extensionDevelopmentPath', remote(extension)],
      ...(picture ? [] : [['extensionTestsPath', remote(path.join(__dirname, 'suite.js'))]]),
    ]);
    await page.goto(`http://${address}/?folder=${shop}&payload=${encodeURIComponent(payload)}`);
    if (picture) return await photograph(page, picture);
    const late = new Promise((done) => setTimeout(done, 120_000, 'no answer within 2 minutes').unref());
    const code = await Promise.race([exit, late]);
    if (code !== 0) throw new Error(`the extension host says ${code}`);
  } finally {
    await browser?.close();
    server.kill();
    await new Promise((done) => spawn(program, ['serve', 'stop', '--all', ...data], { stdio: 'ignore' }).on('exit', done));
    fs.rmSync(home, { recursive: true, force: true });
  }
}

async function listening() {
  for (let i = 0; i < 300; i++) {
    try {
      return await fetch(`http://${address}/healthz`);
    } catch {
      await new Promise((done) => setTimeout(done, 100));
    }
  }
  throw new Error('code-server does not listen after 30 s');
}

/** Asks for what breaks with a function, and takes a picture of the answer. */
async function photograph(page, file) {
  const pause = (ms) => page.waitForTimeout(ms);
  const pick = async (text) => {
    await page.keyboard.press('F1');
    await pause(600);
    await page.keyboard.type(text);
    await pause(800);
    await page.keyboard.press('Enter');
    await pause(1200);
  };
  await page.waitForSelector('.monaco-workbench .activitybar');
  await page.getByRole('treeitem', { name: 'auth' }).click();
  await page.getByRole('treeitem', { name: 'token.go' }).dblclick();
  await pause(3000);
  await page.keyboard.press('Control+G');
  await page.keyboard.type('57:8');
  await page.keyboard.press('Enter');
  await pick('Quarry: What Breaks');
  await pause(2000);
  await pick('View: Focus Active Editor Group');
  await page.keyboard.press('Control+G');
  await page.keyboard.type('34:17');
  await page.keyboard.press('Enter');
  await pick('Show or Focus Hover');
  await page.screenshot({ path: file });
}

main(process.argv[2]).catch((err) => {
  console.error(err.message);
  process.exitCode = 1;
});
