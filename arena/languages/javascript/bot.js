// A bot in JavaScript: it plays a random move of the first preferred kind that is legal.
//
// docs/protocol.md documents the messages. Anything written to console.error goes to the bot's log.
"use strict";

const readline = require("node:readline");

const LIKED = ["crown", "accept", "claim", "lake", "resource", "enter", "expand", "place", "start"];

let state = 0n;

// splitmix64: all random numbers come from the bot's seed, so that a match can be replayed
function random(below) {
  const mask = (1n << 64n) - 1n;
  state = (state + 0x9e3779b97f4a7c15n) & mask;
  let z = state;
  z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
  z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & mask;
  return Number((z ^ (z >> 31n)) % BigInt(below));
}

function choose(legal) {
  for (const word of LIKED) {
    const found = legal.filter((move) => move.startsWith(word));
    if (found.length > 0) return found[random(found.length)];
  }
  return legal[random(legal.length)];
}

function send(message) {
  process.stdout.write(JSON.stringify(message) + "\n");
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "match") {
    state = BigInt(message.seed);
    send({ type: "hello", protocol: 1, name: "javascript", wants: ["legal", "finish"] });
  } else if (message.type === "decide") {
    send({ type: "answer", token: message.token, move: choose(message.legal) });
  } else if (message.type === "finish") {
    console.error(`ranks ${message.ranks}`);
    send({ type: "bye" });
    process.exitCode = 0;
  }
});
