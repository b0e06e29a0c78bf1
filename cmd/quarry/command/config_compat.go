package command

import "fmt"

// osgrepPort is where osgrep's server listens unless somebody says where.
const osgrepPort = 4444

// osgrep reports whether a server shall stand in for osgrep's.
func (s *settings) osgrep() bool { return s.Server.Compat == "osgrep" }

// osgrepSettings are what holds for such a server when nobody says anything else.
func osgrepSettings() settings {
	s := defaultSettings()
	s.Server.Port = osgrepPort
	return s
}

func (s *settings) checkCompat() error {
	if s.Server.Compat != "" && !s.osgrep() {
		return fmt.Errorf("compat must be osgrep or nothing, not %q", s.Server.Compat)
	}
	return nil
}
