/** The look that every page of Pegboard shares, light and dark: a style sheet. Text keeps a contrast of 4.5. */
export const LOOK = `:root{color-scheme:light dark;--page:#f5f6f8;--card:#ffffff;--line:#d9dde4;--text:#171c24;
--quiet:#566072;--link:#1d4fc9;--accent:#2456d6;--on-accent:#ffffff;--good:#0f6b3a;--good-back:#ddf3e5;
--bad:#a41e22;--bad-back:#fbe3e2;--care:#7a4b00;--care-back:#fbecc8;--calm:#465063;--calm-back:#e8ebf0;
--bar:#7b9cf0;--bar-bad:#cf3c40}
@media (prefers-color-scheme:dark){
:root{--page:#10141a;--card:#181d25;--line:#2d3540;--text:#e7eaf0;--quiet:#a0aabb;--link:#9cbcff;
--accent:#9cbcff;--on-accent:#0d1420;--good:#84dba6;--good-back:#15352a;--bad:#ffb0ab;--bad-back:#47201f;
--care:#f4ce7d;--care-back:#3d2f10;--calm:#bcc5d3;--calm-back:#28303b;--bar:#5c82dc;--bar-bad:#f0716b}
}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:15px/1.5 system-ui,sans-serif;
overflow-wrap:anywhere}
a{color:var(--link)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:4px}
h1{font-size:24px;line-height:1.25;margin:0 0 20px}
h2{font-size:16px;margin:0}
p{margin:0 0 12px}
code,pre{font:13px/1.5 ui-monospace,'SF Mono',Menlo,Consolas,monospace}
dt{color:var(--quiet);font-size:13px}
dd{margin:0}
form{margin:0}
label{display:block;font-weight:600;margin-bottom:4px}
input,select,textarea{font:inherit;color:inherit;background:var(--page);border:1px solid var(--quiet);
border-radius:8px;padding:7px 10px;width:100%;min-height:38px}
::placeholder{color:var(--quiet);opacity:1}
button,.button{font:inherit;font-size:14px;font-weight:600;display:inline-block;min-height:36px;
padding:6px 14px;border-radius:8px;border:1px solid var(--quiet);background:var(--card);
color:var(--text);text-decoration:none;cursor:pointer;white-space:nowrap}
button:hover,.button:hover{background:var(--calm-back)}
.fault{color:var(--bad);background:var(--bad-back);border-radius:8px;padding:10px 14px}
.notice{color:var(--good);background:var(--good-back);border-radius:8px;padding:10px 14px}
`;
