// A rustc that also prints what the calls of a crate resolve to, one JSON object a line: the
// files, the functions, and the calls, each with where its name stands, of what kind it is, and
// where the names of what it runs stand. cargo runs it in the place of rustc, as
// RUSTC_WORKSPACE_WRAPPER; it writes one file for each compilation to the folder CALLS_OUT, of
// what lies below CALLS_ROOT.
//
// It reads the MIR after drops are elaborated, and needs the rustc 1.95 of a toolchain with
// the components rustc-dev and llvm-tools.
#![feature(rustc_private)]

extern crate rustc_driver;
extern crate rustc_hir;
extern crate rustc_interface;
extern crate rustc_middle;
extern crate rustc_span;

use rustc_driver::{Callbacks, Compilation};
use rustc_hir::def::DefKind;
use rustc_hir::def_id::{DefId, LOCAL_CRATE, LocalDefId};
use rustc_middle::mir::{self, CallSource, TerminatorKind};
use rustc_middle::ty::{self, Instance, InstanceKind, Ty, TyCtxt, TypeVisitableExt, TypingEnv};
use rustc_span::{FileName, Span};
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

struct Calls {
    root: PathBuf,
    out: PathBuf,
}

impl Callbacks for Calls {
    fn after_analysis<'tcx>(&mut self, _: &rustc_interface::interface::Compiler, tcx: TyCtxt<'tcx>) -> Compilation {
        let mut v = Visit { tcx, root: &self.root, lines: BTreeSet::new() };
        v.krate();
        let name = format!("{}{}.jsonl", tcx.crate_name(LOCAL_CRATE), tcx.sess.opts.cg.extra_filename);
        let text: String = v.lines.iter().map(|l| format!("{l}\n")).collect();
        std::fs::write(self.out.join(name), text).expect("write the calls");
        Compilation::Continue
    }
}

struct Visit<'a, 'tcx> {
    tcx: TyCtxt<'tcx>,
    root: &'a Path,
    lines: BTreeSet<String>,
}

impl<'tcx> Visit<'_, 'tcx> {
    fn krate(&mut self) {
        let tcx = self.tcx;
        for file in tcx.sess.source_map().files().iter() {
            if let Some(path) = self.path(&file.name).filter(|_| file.cnum == LOCAL_CRATE) {
                self.lines.insert(format!("{{\"file\":\"{path}\"}}"));
            }
        }
        for id in tcx.hir_crate_items(()).definitions() {
            if let (DefKind::Fn | DefKind::AssocFn, Some(at)) = (tcx.def_kind(id), self.name_of(id.to_def_id())) {
                let body = tcx.is_mir_available(id) || tcx.hir_maybe_body_owned_by(id).is_some();
                self.lines.insert(format!("{{\"function\":{at},\"name\":\"{}\",\"declared\":{}}}", tcx.item_name(id), !body));
            }
        }
        for id in tcx.hir_body_owners() {
            match tcx.def_kind(id) {
                DefKind::Fn | DefKind::AssocFn | DefKind::Closure => {
                    if tcx.is_constructor(id.to_def_id()) {
                        continue;
                    }
                    let body = tcx.mir_drops_elaborated_and_const_checked(id);
                    if body.is_stolen() {
                        let body = tcx.instance_mir(InstanceKind::Item(id.to_def_id()));
                        self.body(id, body);
                    } else {
                        let body = body.borrow().clone();
                        self.body(id, &body);
                    }
                }
                DefKind::Const { .. } | DefKind::Static { .. } | DefKind::AssocConst { .. } => {
                    let body = tcx.mir_for_ctfe(id);
                    self.body(id, body);
                }
                _ => {}
            }
        }
    }

    // path is that of a file of the project, from the root.
    fn path(&self, name: &FileName) -> Option<String> {
        let FileName::Real(real) = name else { return None };
        let path = real.local_path()?.canonicalize().ok()?;
        Some(path.strip_prefix(self.root).ok()?.to_str()?.replace('\\', "\\\\").replace('"', "\\\""))
    }

    // spot is a place: the file, the line and the column, in bytes, from 1.
    fn spot(&self, at: rustc_span::BytePos) -> Option<String> {
        let pos = self.tcx.sess.source_map().lookup_byte_offset(at);
        let path = self.path(&pos.sf.name)?;
        let line = pos.sf.lookup_line(pos.sf.relative_position(at))?;
        let column = pos.pos.0 - pos.sf.lines()[line].0;
        Some(format!("[\"{path}\",{},{}]", line + 1, column + 1))
    }

    // name_of is where the name of a function of the project stands, if no macro has made it.
    fn name_of(&self, id: DefId) -> Option<String> {
        let span = self.tcx.def_ident_span(id)?;
        let whole = self.tcx.def_span(id);
        if span.from_expansion() || whole.from_expansion() { None } else { self.spot(span.lo()) }
    }

    // inside reports whether something is written in the project, or made by a macro there.
    fn inside(&self, id: DefId) -> bool {
        let span = self.tcx.def_span(id);
        self.spot(span.source_callsite().lo()).is_some()
    }

    fn body(&mut self, id: LocalDefId, body: &mir::Body<'tcx>) {
        let tcx = self.tcx;
        let env = TypingEnv::post_analysis(tcx, id);
        let home = tcx.typeck_root_def_id(id.to_def_id());
        for block in body.basic_blocks.iter() {
            let Some(end) = &block.terminator else { continue };
            match &end.kind {
                TerminatorKind::Call { func, call_source, fn_span, .. } => {
                    let ty::FnDef(to, args) = *func.ty(&body.local_decls, tcx).kind() else {
                        self.line(*fn_span, "", &[], &[]);
                        continue;
                    };
                    let written = match func {
                        mir::Operand::Constant(c) => c.span,
                        _ => {
                            self.line(*fn_span, "", &[], &[]);
                            continue;
                        }
                    };
                    let normal = *call_source == CallSource::Normal && written.desugaring_kind().is_none();
                    self.call(env, home, to, args, written, normal);
                }
                TerminatorKind::Drop { place, .. } => {
                    let ty = place.ty(&body.local_decls, tcx).ty;
                    let mut to = vec![];
                    self.dropped(env, ty, &mut HashSet::new(), &mut to);
                    self.implicit(home, &to);
                }
                _ => {}
            }
        }
    }

    fn call(&mut self, env: TypingEnv<'tcx>, home: DefId, to: DefId, args: ty::GenericArgsRef<'tcx>, written: Span, normal: bool) {
        let tcx = self.tcx;
        let args = tcx.try_normalize_erasing_regions(env, args).unwrap_or(args);
        if let Some(of) = tcx.trait_of_assoc(to) {
            if tcx.fn_trait_kind_from_def_id(of).is_some() {
                self.line(written, "", &[], &[]);
                return;
            }
        }
        let found = Instance::try_resolve(tcx, env, to, tcx.erase_and_anonymize_regions(args)).ok().flatten();
        let site = self.site(written);
        let runs = match found {
            Some(Instance { def: InstanceKind::Item(did), .. }) => did,
            Some(Instance { def: InstanceKind::Virtual(..), .. }) | None if tcx.trait_of_assoc(to).is_some() => {
                let below = self.implementations(to);
                if site.is_some() && normal && !below.is_empty() && (self.name_of(home).is_some() || self.constant(home)) {
                    let own: Vec<_> = [to].into();
                    self.line(written, "interface", &below, &own);
                } else {
                    self.line(written, "", &[], &[]);
                }
                return;
            }
            Some(_) => {
                self.line(written, "", &[], &[]); // a function pointer, or what the compiler makes
                return;
            }
            None => to,
        };
        let library = found.filter(|i| !self.inside(i.def_id())).map(|i| self.through_library(env, i)).unwrap_or_default();
        self.implicit(home, &library);
        if !self.inside(runs) {
            if normal {
                self.line(written, "external", &[], &library);
            }
        } else if self.name_of(runs).is_none() {
            self.line(written, "", &[], &[]); // made by a macro
        } else if normal && site.is_some() && self.name_of(home).is_none() && !self.constant(home) {
            self.made(written, runs);
        } else if normal && site.is_some() {
            let of: Vec<_> = [to].into_iter().filter(|d| *d != runs && !tcx.is_mir_available(*d)).collect();
            self.line(written, "direct", &[runs], &of);
        } else {
            self.implicit(home, &[runs]);
        }
    }

    // through_library lists what the library calls of the project on the way, as formatting and
    // conversions do.
    fn through_library(&self, env: TypingEnv<'tcx>, i: Instance<'tcx>) -> Vec<DefId> {
        let tcx = self.tcx;
        if i.args.has_param() || i.args.has_aliases() || i.args.has_infer() {
            return vec![];
        }
        let mut to = vec![];
        let (mut seen, mut todo) = (HashSet::new(), vec![i]);
        while let Some(i) = todo.pop() {
            if seen.len() > 2000 || !seen.insert(i) {
                continue;
            }
            let id = i.def_id();
            if self.inside(id) {
                if matches!(tcx.def_kind(id), DefKind::Fn | DefKind::AssocFn) {
                    to.push(id);
                }
                continue;
            }
            if !matches!(i.def, InstanceKind::Item(_)) || !tcx.is_mir_available(id) {
                continue;
            }
            let body = tcx.instance_mir(i.def);
            let mut functions = Functions { found: vec![] };
            mir::visit::Visitor::visit_body(&mut functions, body);
            for ty in functions.found {
                let Ok(ty) = i.try_instantiate_mir_and_normalize_erasing_regions(tcx, env, ty::EarlyBinder::bind(ty)) else { continue };
                if let ty::FnDef(id, args) = *ty.kind() {
                    if !args.has_param() {
                        todo.extend(Instance::try_resolve(tcx, env, id, args).ok().flatten());
                    }
                }
            }
        }
        to
    }

    // dropped lists the destructors that run where a value of a type is dropped.
    fn dropped(&self, env: TypingEnv<'tcx>, ty: Ty<'tcx>, seen: &mut HashSet<Ty<'tcx>>, to: &mut Vec<DefId>) {
        let tcx = self.tcx;
        let ty = tcx.try_normalize_erasing_regions(env, ty).unwrap_or(ty);
        if seen.len() > 200 || !seen.insert(ty) || !ty.needs_drop(tcx, env) {
            return;
        }
        match ty.kind() {
            ty::Adt(adt, args) => {
                to.extend(tcx.adt_destructor(adt.did()).map(|d| d.did));
                if adt.is_manually_drop() {
                    return;
                }
                for f in adt.all_fields() {
                    self.dropped(env, f.ty(tcx, args), seen, to);
                }
                for t in args.types().filter(|_| !adt.did().is_local()) {
                    self.dropped(env, t, seen, to); // as a vector drops its elements
                }
            }
            ty::Tuple(list) => list.iter().for_each(|t| self.dropped(env, t, seen, to)),
            ty::Array(t, _) | ty::Slice(t) => self.dropped(env, *t, seen, to),
            ty::Closure(_, args) => args.as_closure().upvar_tys().iter().for_each(|t| self.dropped(env, t, seen, to)),
            _ => {}
        }
    }

    // implementations are the functions that may run where a method of a trait is called.
    fn implementations(&self, method: DefId) -> Vec<DefId> {
        let tcx = self.tcx;
        let Some(of) = tcx.trait_of_assoc(method) else { return vec![] };
        let mut all: Vec<DefId> = tcx
            .all_impls(of)
            .filter_map(|i| tcx.impl_item_implementor_ids(i).get(&method).copied())
            .filter(|d| self.name_of(*d).is_some())
            .collect();
        if tcx.defaultness(method).has_value() && self.name_of(method).is_some() {
            all.push(method);
        }
        all
    }

    // implicit prints calls that are not written where they are, of a function.
    fn implicit(&mut self, home: DefId, to: &[DefId]) {
        if let Some(at) = self.name_of(home) {
            let to: Vec<_> = to.iter().filter_map(|d| self.name_of(*d)).collect();
            if !to.is_empty() {
                self.lines.insert(format!("{{\"at\":{at},\"kind\":\"implicit\",\"to\":[{}]}}", to.join(",")));
            }
        }
    }

    // constant reports whether a body is none of a function.
    fn constant(&self, home: DefId) -> bool {
        !matches!(self.tcx.def_kind(home), DefKind::Fn | DefKind::AssocFn)
    }

    // made prints a call in a function that a macro makes, which is no function of the text: an
    // implicit one of where its name is written.
    fn made(&mut self, written: Span, to: DefId) {
        if let (Some(site), Some(to)) = (self.site(written), self.name_of(to)) {
            self.lines.insert(format!("{{\"at\":{site},\"kind\":\"implicit\",\"to\":[{to}]}}"));
        }
    }

    // site is where the last name of what is called is written; none outside of the project.
    fn site(&self, span: Span) -> Option<String> {
        let text = self.tcx.sess.source_map().span_to_snippet(span).ok()?;
        let mut end = text.trim_end().len();
        while text[..end].ends_with('>') {
            let mut depth = 0;
            for (i, c) in text[..end].char_indices().rev() {
                match c {
                    '>' if !text[..i].ends_with('-') => depth += 1,
                    '<' => depth -= 1,
                    _ => {}
                }
                if depth == 0 {
                    end = text[..i].trim_end_matches(|c: char| c == ':' || c.is_whitespace()).len();
                    break;
                }
            }
            if depth != 0 {
                return None;
            }
        }
        let start = text[..end].rfind(|c: char| c != '_' && !c.is_alphanumeric()).map_or(0, |i| i + 1);
        if start == end {
            return None;
        }
        self.spot(span.lo() + rustc_span::BytePos(start as u32))
    }

    fn line(&mut self, written: Span, kind: &str, to: &[DefId], below: &[DefId]) {
        let Some(site) = self.site(written) else { return };
        let list = |ids: &[DefId]| ids.iter().filter_map(|d| self.name_of(*d)).collect::<Vec<_>>().join(",");
        let line = format!("{{\"at\":{site},\"kind\":\"{kind}\",\"to\":[{}],\"below\":[{}]}}", list(to), list(below));
        self.lines.insert(line);
    }
}

// Functions are those that a body names.
struct Functions<'tcx> {
    found: Vec<Ty<'tcx>>,
}

impl<'tcx> mir::visit::Visitor<'tcx> for Functions<'tcx> {
    fn visit_const_operand(&mut self, c: &mir::ConstOperand<'tcx>, _: mir::Location) {
        if let ty::FnDef(..) = c.const_.ty().kind() {
            self.found.push(c.const_.ty());
        }
    }
}

fn main() {
    let mut args: Vec<String> = std::env::args().collect();
    args.remove(1); // the rustc that this one stands for
    let var = |name| std::env::var(name).map(|v| PathBuf::from(v).canonicalize().expect(name));
    match (var("CALLS_ROOT"), var("CALLS_OUT")) {
        (Ok(root), Ok(out)) if args.iter().any(|a| a == "--crate-name") => rustc_driver::run_compiler(&args, &mut Calls { root, out }),
        _ => rustc_driver::run_compiler(&args, &mut rustc_driver::TimePassesCallbacks::default()),
    }
}
